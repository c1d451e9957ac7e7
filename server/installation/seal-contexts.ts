/** The context of each kind of sealed value. A value opens only in its own context, so that it cannot be moved to another row. */
export const sealContexts = {
  webhook: (id: string) => `webhook ${id}`,
  mfaEnrolment: (agentId: string) => `mfa ${agentId}`,
  idempotencyRecord: (id: Uint8Array) => `idempotency record ${Buffer.from(id).toString('hex')}`,
  streamEvent: ({ streamId, position }: { streamId: string; position: number }) =>
    `stream event ${streamId} ${position}`,
  runStep: ({ requestId, position }: { requestId: string; position: number }) =>
    `run step ${requestId} ${position}`,
  apiKeyPepper: 'api key pepper',
  firstKey: 'first key',
};

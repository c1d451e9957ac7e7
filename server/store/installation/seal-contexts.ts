/** What a sealed value belongs to: it opens there only, so that nobody can move it to another row. */
export const sealContexts = {
  webhook: (id: string) => `webhook ${id}`,
  mfaEnrolment: (agentId: string) => `mfa ${agentId}`,
  idempotencyRecord: (id: Uint8Array) => `idempotency record ${Buffer.from(id).toString('hex')}`,
  streamEvent: ({ streamId, position }: { streamId: string; position: number }) =>
    `stream event ${streamId} ${position}`,
  apiKeyPepper: 'api key pepper',
  firstKey: 'first key',
};

/** Finished invocations as rows, in the form in which the statement that records them takes them. */
import type { EventRecord, InvocationRecord } from './record-invocation.js';
import { sessionName } from './sql/sessions-take.js';

export interface Entry {
  invocation: InvocationRecord;
  /** Undefined unless webhooks are known to subscribe to it. */
  event: EventRecord | undefined;
}

export interface InvocationRows {
  /** The invocations, their log entries and their memory, each as JSON. */
  json: string[];
  /** The sealed answers one after the other, as bytes: as text, long ones would take long to write and to read. */
  answers: Buffer;
}

export function rowsOf(entries: readonly Entry[]): InvocationRows {
  const sealed = entries.map(({ invocation: { idempotency } }) => idempotency?.response?.sealed);
  const logs = entries.flatMap(({ invocation }, n) =>
    invocation.logs.map((log) => ({ n, ...log, at: log.at.getTime() })),
  );
  const memory = entries.flatMap(({ invocation }, n) =>
    invocation.memory.map((entry) => ({ n, ...entry })),
  );
  let end = 0;
  const invocations = entries.map((entry, n) => {
    const bytes = sealed[n]?.length ?? 0;
    end += bytes;
    // The first byte is number 1.
    return rowOf(entry, n, { at: end - bytes + 1, bytes });
  });
  return {
    json: [invocations, logs, memory].map((rows) => JSON.stringify(rows)),
    answers: Buffer.concat(sealed.filter((answer) => answer !== undefined)),
  };
}

/** What is undefined is left out of the JSON, and null in the database. */
function rowOf({ invocation, event }: Entry, n: number, answer: { at: number; bytes: number }) {
  const { remember, idempotency: key } = invocation;
  // One literal: to spread another object into it takes longer than to write it as JSON.
  return {
    n,
    id: invocation.id,
    agentId: invocation.agentId,
    accountId: invocation.accountId,
    deploymentId: invocation.deploymentId ?? undefined,
    model: invocation.model,
    status: invocation.status,
    userId: remember ? (invocation.userId ?? undefined) : undefined,
    sessionId: remember ? (invocation.sessionId ?? undefined) : undefined,
    context: remember ? (invocation.context ?? undefined) : undefined,
    remember,
    tokensUsed: invocation.tokensUsed ?? undefined,
    durationMs: invocation.durationMs,
    errorCode: invocation.errorCode ?? undefined,
    createdBy: invocation.createdBy ?? undefined,
    createdAt: invocation.createdAt.getTime(),
    finishedAt: invocation.finishedAt.getTime(),
    eventId: event?.id,
    eventType: invocation.event.type,
    eventBody: event?.body,
    traceContext: event?.traceContext,
    sessionName: sessionNameOf(invocation),
    sessionOwner: invocation.sessionOwner ?? undefined,
    worker: invocation.worker ?? undefined,
    key: key ? hex(key.id) : undefined,
    keyOwner: key?.owner ?? undefined,
    keyStatus: key?.response?.status,
    answerAt: key?.response ? answer.at : undefined,
    answerBytes: key?.response ? answer.bytes : undefined,
  };
}

function sessionNameOf({ userId, sessionId }: Pick<InvocationRecord, 'userId' | 'sessionId'>) {
  return sessionId === null ? undefined : sessionName({ userId, sessionId });
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

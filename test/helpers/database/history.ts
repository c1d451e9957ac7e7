/** Creates histories of agents with the service's own code, at chosen times. */
import type { LogLevel } from '../../../generated/api.js';
import { lowestIdAt, newId } from '../../../server/lib/data/typeid.js';
import { createSecrets } from '../../../server/installation/key-ring.js';
import type { Database } from '../../../server/postgres/database.js';
import { createInvocationRecorder } from '../../../server/invocations/recorder.js';

export interface PastInvocation {
  /** When it was received, in milliseconds since the epoch. */
  at: number;
  durationMs: number;
  failed: boolean;
  /** Defaults to 1, and to unknown for a failed one. */
  tokens?: number;
  model?: string;
  logs?: { at: number; level: LogLevel; message?: string }[];
  said?: { content: string; role: 'user' | 'agent' }[];
  environment?: string;
  userId?: string;
  sessionId?: string;
}

export interface Owner {
  accountId: string;
  agentId: string;
}

/** They seal nothing, since no request has a key. */
const secrets = createSecrets(Buffer.alloc(32));

/** Returns the request ids. */
export async function recordHistory(
  database: Database,
  { accountId, agentId }: Owner,
  history: readonly PastInvocation[],
): Promise<string[]> {
  const recorder = createInvocationRecorder({ connection: database, secrets });
  return Promise.all(
    history.map(async ({ at, durationMs, failed, tokens, logs = [], said = [], ...of }) => {
      const id = newId('req');
      const recording = await recorder.record({
        id,
        agentId,
        accountId,
        deploymentId: null,
        model: of.model ?? 'builtin/echo',
        status: failed ? 'failed' : 'succeeded',
        environment: of.environment ?? null,
        userId: of.userId ?? null,
        sessionId: of.sessionId ?? null,
        context: null,
        remember: true,
        tokensUsed: tokens ?? (failed ? null : 1),
        durationMs,
        errorCode: failed ? 'upstream_error' : null,
        createdBy: null,
        createdAt: new Date(at),
        finishedAt: new Date(at + durationMs),
        logs: logs.map(({ message = 'Something happened.', ...log }) => ({
          id: newId('log'),
          loggedAt: new Date(log.at),
          level: log.level,
          message,
          metadata: {},
        })),
        memory: said.map((message) => ({ id: newId('mem'), turn: null, ...message })),
        event: { id: newId('evt'), type: 'agent.completed', body: '{}', traceContext: null },
        sessionOwner: null,
        worker: null,
        idempotency: null,
        hasSteps: false,
        waitsUntil: null,
      });
      if (recording !== 'recorded')
        throw new Error(`The invocation was not recorded: ${recording}`);
      return id;
    }),
  );
}

/** Inserts a log entry at each of these times, without updating the counts. */
export async function insertLogs(
  { prisma }: Database,
  agentId: string,
  times: readonly Date[],
): Promise<void> {
  const { accountId } = await prisma.agent.findUniqueOrThrow({ where: { id: agentId } });
  await prisma.logEntry.createMany({
    data: times.map((loggedAt) => ({
      id: lowestIdAt('log', loggedAt),
      accountId,
      agentId,
      loggedAt,
      level: 'info',
      message: 'something',
    })),
  });
}

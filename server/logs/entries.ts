/**
 * Writes the logs of agents. The same transaction counts each entry under the minute of its timestamp, so that no query has to
 * count a whole log.
 */
import type { LogLevel } from '../../generated/api.js';
import { storable } from '../lib/text/storable.js';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../postgres/connection.js';
import { addUsage, logCounts } from '../metrics/usage.js';

export interface NewLogEntry {
  id: string;
  accountId: string;
  agentId: string;
  at: Date;
  level: LogLevel;
  /** The request that caused it. */
  requestId: string;
  /** For people. Truncated to the length that the contract allows. */
  message: string;
  /** For programs; does not include the request id. */
  metadata?: Record<string, unknown>;
}

/** Skips entries of deleted agents, which could not be read anyway. */
export async function insertLogEntries(
  transaction: Transaction,
  entries: readonly NewLogEntry[],
): Promise<void> {
  const ids = entries.map(({ agentId }) => agentId);
  const agents = await transaction.prisma.agent.findMany({
    where: { id: { in: ids } },
    select: { id: true },
  });
  const existing = new Set(agents.map(({ id }) => id));
  const readable = entries.filter(({ agentId }) => existing.has(agentId));
  await transaction.prisma.logEntry.createMany({ data: readable.map(rowOf) });
  await addUsage(
    transaction,
    readable.map(({ id, accountId, agentId, at, level }) => ({
      id,
      accountId,
      agentId,
      at,
      [logCounts[level]]: 1,
    })),
  );
}

const maxMessageLength = 10_000;

function rowOf({ at, message, metadata = {}, ...entry }: NewLogEntry) {
  return {
    ...entry,
    loggedAt: at,
    message: Array.from(storable(message)).slice(0, maxMessageLength).join(''),
    metadata: JSON.parse(
      JSON.stringify(metadata, (_key, value: unknown) =>
        typeof value === 'string' ? storable(value) : value,
      ),
    ) as Prisma.InputJsonObject,
  };
}

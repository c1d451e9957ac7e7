/**
 * The logs of agents. An entry is counted in the transaction that writes it, under the minute of its own time, so that
 * nobody ever has to count a whole log.
 */
import type { LogLevel } from '../../generated/api.js';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from './connection.js';
import { lockAgentsForShare } from './sql/agents-lock.js';
import { addUsage, logCounts } from './usage.js';

export { type LogQuery, readLogPage, type StoredLogEntry } from './sql/logs-page.js';

export interface NewLogEntry {
  id: string;
  agentId: string;
  at: Date;
  level: LogLevel;
  /** The request that caused it. */
  requestId: string;
  /** For people. What is longer than the contract allows is cut off. */
  message: string;
  /** For programs, without the request's id. */
  metadata?: Record<string, unknown>;
}

/** Entries of an agent that is gone are dropped: nobody could read them. */
export async function insertLogEntries(
  transaction: Transaction,
  entries: readonly NewLogEntry[],
): Promise<void> {
  const agents = await lockAgentsForShare(
    transaction,
    entries.map(({ agentId }) => agentId),
  );
  const kept = entries.filter(({ agentId }) => agents.has(agentId));
  await transaction.prisma.logEntry.createMany({ data: kept.map(rowOf) });
  await addUsage(
    transaction,
    kept.map(({ agentId, at, level }) => ({ agentId, at, [logCounts[level]]: 1 })),
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

/** PostgreSQL stores neither NUL nor half of a character, and a log entry may quote whatever somebody sent. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

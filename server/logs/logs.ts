/**
 * Writes and deletes the logs of agents. The same transaction counts each entry under the minute of its timestamp, so that no query has
 * to count a whole log.
 */
import type { LogLevel } from '../../generated/api.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { storable } from '../lib/text/storable.js';
import { addUsage, logCounts, subtractUsage } from '../metrics/usage.js';
import type { Queryable, Statement, Transaction } from '../postgres/connection.js';
import { countOf, deleteOld } from '../postgres/retention/delete-old.sql.js';

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

// SQL because one statement deletes and counts.
const deleteLogs: Statement = {
  name: 'logs_delete_old',
  text: `
    WITH deleted AS (
      ${deleteOld('log_entries', 'logged_at < $2::timestamptz')} RETURNING id, agent_id, logged_at, level
    ), counted AS (
      ${subtractUsage(
        '$1',
        `SELECT id, agent_id, logged_at AS at, NULL::int AS duration, NULL::int AS tokens, false AS failed, level FROM deleted`,
      )}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Deletes up to `batch` rows of an account and returns the number deleted. */
export const deleteOldLogEntries = (
  database: Queryable,
  accountId: string,
  before: Date,
  batch: number,
) => countOf(database, deleteLogs, [accountId, before, batch]);

/**
 * Deletes old log entries and subtracts them from the usage counts.
 * Why SQL: one statement deletes and counts.
 */
import { subtractUsage } from '../metrics/count.sql.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { countOf, deleteOld } from '../postgres/retention/delete-old.sql.js';

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

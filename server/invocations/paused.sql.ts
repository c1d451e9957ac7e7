/**
 * Runs that wait for approval: pausing, taking one over to go on with it, and listing them.
 * Why SQL: several are written in the transaction that records them, and they expire by the database's clock.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { columnsOf, jsonRows, type RowOf, rowsFrom, valuesOf } from '../postgres/rows.sql.js';

const pausedColumns = {
  agentId: 'text',
  userId: 'text',
  expiresAt: 'timestamptz',
} as const;

const pausedRow = { ...pausedColumns, id: 'text' } as const;

const pause: Statement = {
  name: 'paused_runs_add',
  text: `
    INSERT INTO paused_runs (account_id, request_id, ${columnsOf(pausedColumns)})
    SELECT $1, p.id, ${valuesOf('p', pausedColumns)}
      FROM ${rowsFrom('$2', 'p', pausedRow)}
      JOIN agents a ON a.account_id = $1 AND a.id = p."agentId"
    ON CONFLICT DO NOTHING`,
};

export async function pauseRuns(
  database: Queryable,
  accountId: string,
  runs: readonly RowOf<typeof pausedRow>[],
): Promise<void> {
  if (runs.length > 0) await database.run(pause, [accountId, jsonRows(pausedRow, runs)]);
}

export interface PausedRun {
  accountId: string;
  agentId: string;
  requestId: string;
}

const take = (condition: string): Statement => ({
  name: `paused_runs_take_${condition === '' ? 'any' : 'live'}`,
  text: `
    DELETE FROM paused_runs WHERE account_id = $1 AND agent_id = $2 AND request_id = $3 ${condition} RETURNING 1`,
});

const takeLive = take('AND expires_at > now()');
const takeAny = take('');

/** Of several that take it, one goes on with it. Returns false if it does not wait any more. `orExpired`: to close it. */
export async function takePaused(
  database: Queryable,
  { accountId, agentId, requestId }: PausedRun,
  { orExpired = false } = {},
): Promise<boolean> {
  const statement = orExpired ? takeAny : takeLive;
  return (await database.run(statement, [accountId, agentId, requestId])).length > 0;
}

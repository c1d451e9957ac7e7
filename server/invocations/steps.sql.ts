/**
 * Writes and deletes steps of runs.
 * Why SQL: they are written in the transaction that checks the lease of their run, which uses prepared statements.
 */
import type { Secrets } from '../installation/key-ring.js';
import { sealContexts } from '../installation/seal-contexts.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { columnsOf, jsonRows, type RowOf, rowsFrom, valuesOf } from '../postgres/rows.sql.js';
import type { InvocationRequest } from './invocation.js';
import type { NewStep } from './steps.js';

const stepColumns = {
  requestId: 'text',
  position: 'int',
  agentId: 'text',
  userId: 'text',
  sealedData: 'bytea',
} as const;

export type SealedStep = RowOf<typeof stepColumns> & { sealedData: Buffer };

export function sealSteps(
  secrets: Secrets,
  { id: requestId, agentId, userId }: Pick<InvocationRequest, 'id' | 'agentId' | 'userId'>,
  steps: readonly NewStep[],
): SealedStep[] {
  return steps.map(({ position, data }) => ({
    requestId,
    position,
    agentId,
    userId,
    sealedData: secrets.seal(data, sealContexts.runStep({ requestId, position })),
  }));
}

// Skips those of a deleted agent, and those that an earlier attempt has written, whose answer was lost.
const append: Statement = {
  name: 'run_steps_append',
  text: `
    INSERT INTO run_steps (account_id, ${columnsOf(stepColumns)})
    SELECT $1, ${valuesOf('s', stepColumns)}
      FROM ${rowsFrom('$2', 's', stepColumns)}
      JOIN agents a ON a.account_id = $1 AND a.id = s."agentId"
    ON CONFLICT DO NOTHING`,
};

/** What a row takes besides its data, with its index entries. */
const rowBytes = 300;

/** Returns the number of bytes written. */
export async function appendSteps(
  database: Queryable,
  accountId: string,
  steps: readonly SealedStep[],
): Promise<number> {
  if (steps.length === 0) return 0;
  await database.run(append, [accountId, jsonRows(stepColumns, steps)]);
  return steps.reduce((sum, { sealedData }) => sum + rowBytes + sealedData.length, 0);
}

const remove: Statement = {
  name: 'run_steps_remove',
  text: `DELETE FROM run_steps WHERE account_id = $1 AND request_id = ANY ($2::text[])`,
};

/** Of runs that have ended. */
export async function removeSteps(
  database: Queryable,
  accountId: string,
  requestIds: readonly string[],
): Promise<void> {
  if (requestIds.length > 0) await database.run(remove, [accountId, requestIds]);
}

// Neither runs, nor waits, nor could be repeated: its Idempotency-Key has expired.
const prune: Statement = {
  name: 'run_steps_prune',
  text: `
    DELETE FROM run_steps
     WHERE created_at < $1
       AND NOT EXISTS (SELECT FROM run_steps n
                        WHERE n.account_id = run_steps.account_id AND n.request_id = run_steps.request_id AND n.created_at >= $1)
       AND NOT EXISTS (SELECT FROM paused_runs p
                        WHERE p.account_id = run_steps.account_id AND p.request_id = run_steps.request_id)
       AND NOT EXISTS (SELECT FROM invocations i
                        WHERE i.account_id = run_steps.account_id AND i.agent_id = run_steps.agent_id AND i.id = run_steps.request_id
                          AND i.status IN ('queued', 'running'))
    RETURNING 1`,
};

/** Deletes the steps of runs that nobody goes on with: the last one is from before the time. Returns the number deleted. */
export async function pruneSteps(database: Queryable, before: Date): Promise<number> {
  return (await database.run(prune, [before])).length;
}

/**
 * Stores the summary of a session.
 * Why SQL: Prisma can replace JSON, but not add to it.
 */
import type { Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';

const save: Statement = {
  name: 'session_summary',
  text: `
    UPDATE memory_entries SET turn = coalesce(turn, '{}') || jsonb_build_object('summary', $3::text)
     WHERE account_id = $1 AND id = $2 AND role = 'agent'`,
};

/** Adds it to the answer of the last turn that it covers, unless that was cleared or erased meanwhile. */
export async function saveSummary(
  database: Database,
  { accountId, id, summary }: { accountId: string; id: string; summary: string },
): Promise<void> {
  await database.run(save, [accountId, id, summary]);
}

/**
 * Claims asynchronous invocations for a worker, in fair shares by account.
 * Why SQL: FOR UPDATE SKIP LOCKED, the database's clock and ranks within accounts; Prisma supports none of them.
 */
import type { Queryable, Statement } from '../connection.js';
import { fairShare } from './fragments.js';
import type { QueuedInvocation } from './invocations-enqueue.js';

export interface ClaimedInvocation extends QueuedInvocation {
  /** How many workers died while they ran it. */
  attempts: number;
  /** Whether one of them had called tools. */
  hasActed: boolean;
}

export interface FreeSlots {
  /** How many invocations the worker can run besides what it runs. An account may hold as many slots as are left. */
  free: number;
  /** How many slots each account holds. */
  held: ReadonlyMap<string, number>;
  /** Where to continue: `next` of the previous claim. */
  from: string;
}

export interface InvocationClaim {
  items: ClaimedInvocation[];
  /** The account to continue after, or the beginning if the claim got to the last one. */
  next: string;
}

/** Sorts before every account. */
export const firstAccount = '';

/** How many accounts a claim looks at. */
const accountRange = 500;

type ClaimRow = { next: string | null } & (ClaimedInvocation | { id: null });

// $1 worker, $2 lease in ms, $3 free slots, $4 and $5 accounts and the slots they hold, $6 the account to continue after, $7 how
// many accounts to look at.

// A loose index scan jumps from one account to the next, so that the cost does not grow with what one has waiting.
const claim: Statement = {
  name: 'invocations_claim',
  text: `
    WITH RECURSIVE account AS (
      (SELECT account_id FROM invocations
        WHERE status IN ('queued', 'running') AND account_id > $6 ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT next.account_id FROM account, LATERAL (
        SELECT account_id FROM invocations
         WHERE status IN ('queued', 'running') AND account_id > account.account_id ORDER BY account_id LIMIT 1
      ) next
    ),
    page AS MATERIALIZED (SELECT account_id FROM account LIMIT $7),
    due AS MATERIALIZED (
      SELECT page.account_id, first.*,
             coalesce(held, 0) + row_number() OVER (
               PARTITION BY page.account_id ORDER BY first.available_at) AS account_place
        FROM page
        LEFT JOIN unnest($4::text[], $5::int[]) AS holder (account_id, held) USING (account_id),
        LATERAL (
          SELECT agent_id, id, available_at FROM invocations i
           WHERE i.account_id = page.account_id AND status IN ('queued', 'running') AND available_at <= now()
             AND (session_id IS NULL OR NOT EXISTS (
                   SELECT FROM invocations earlier
                    WHERE earlier.agent_id = i.agent_id AND earlier.session_id = i.session_id AND earlier.id < i.id
                      AND earlier.user_id IS NOT DISTINCT FROM i.user_id
                      AND earlier.status IN ('queued', 'running')))
           ORDER BY available_at LIMIT $3
        ) first
    ),
    ${fairShare('due', 'available_at', '$3')},
    chosen AS MATERIALIZED (
      SELECT i.agent_id, i.id, a.account_id FROM turns
        JOIN invocations i ON i.agent_id = turns.agent_id AND i.id = turns.id
        JOIN agents a ON a.id = i.agent_id
       WHERE i.status IN ('queued', 'running') AND i.available_at <= now()
       ORDER BY turns.turn
       LIMIT (SELECT count(*) FROM fair)
         FOR UPDATE OF i SKIP LOCKED
    ),
    claimed AS (
      UPDATE invocations i
         SET status = 'running', lease_owner = $1, available_at = now() + $2 * interval '1 ms'
        FROM chosen
       WHERE i.agent_id = chosen.agent_id AND i.id = chosen.id
      RETURNING i.id, i.agent_id AS "agentId", chosen.account_id AS "accountId", i.user_id AS "userId",
                i.session_id AS "sessionId", i.message, i.context, i.created_by AS "createdBy",
                i.created_at AS "createdAt", i.idempotency_id AS "idempotencyId", i.attempts,
                i.has_acted AS "hasActed", i.trace_context AS "traceContext"
    ),
    seen AS (SELECT CASE count(*) WHEN $7 THEN max(account_id) END AS next FROM page)
    SELECT seen.next, claimed.* FROM seen LEFT JOIN claimed ON true`,
};

/** Only the first of each session is claimed, to keep its messages in order. */
export async function claimInvocations(
  database: Queryable,
  worker: string,
  { free, held, from, leaseMs }: FreeSlots & { leaseMs: number },
): Promise<InvocationClaim> {
  const rows = await database.run<ClaimRow>(claim, [
    worker,
    leaseMs,
    free,
    [...held.keys()],
    [...held.values()],
    from,
    accountRange,
  ]);
  const items = rows.flatMap((row) => (row.id === null ? [] : [row]));
  return { items, next: rows[0]?.next ?? firstAccount };
}

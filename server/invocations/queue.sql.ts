/**
 * The queue of asynchronous invocations. A worker claims each under a lease, which expires if the worker dies.
 * Why SQL: FOR UPDATE SKIP LOCKED, and leases by the database's clock; Prisma supports neither.
 */
import { randomUUID } from 'node:crypto';
import { groupBy } from '../lib/data/group-by.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import type { Connection, Queryable, Statement } from '../postgres/connection.js';
import { type Held, leaseEnd } from '../postgres/lease.sql.js';
import { notify } from '../postgres/notify.sql.js';
import {
  assigned,
  columnsOf,
  jsonRows,
  type RowOf,
  rowsFrom,
  selected,
  valuesOf,
} from '../postgres/rows.sql.js';
import {
  type ClaimedInvocation,
  type InvocationKey,
  outcomeColumns,
  type QueuedInvocation,
  queuedColumns,
  queuedFields,
} from './invocation.js';

/** The NOTIFY channel for new invocations. */
export const invocationChannel = 'ahs_invocations';

const count: Statement = {
  name: 'invocations_count_waiting',
  text: `
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM invocations WHERE account_id = $1 AND status IN ('queued', 'running') LIMIT $2) AS waiting`,
};

const enqueue: Statement = {
  name: 'invocations_enqueue',
  text: `
    INSERT INTO invocations (account_id, ${columnsOf(queuedColumns)}, status, available_at)
    SELECT $1, ${valuesOf('i', queuedColumns)}, 'queued', now()
      FROM ${rowsFrom('$2', 'i', queuedColumns)}
      JOIN agents a ON a.account_id = $1 AND a.id = i."agentId"
    RETURNING id`,
};

export type Enqueued = 'queued' | 'agent_gone' | 'too_many';

interface NewInvocations {
  accountId: string;
  invocations: readonly QueuedInvocation[];
  /** The maximum number of invocations of the account that wait or run; Infinity for any number. */
  maxQueued: number;
}

/**
 * Queues invocations of an account, the first ones if it has room for some only. Returns what became of each. Must be in a transaction,
 * whose lock makes the limit exact. The caller notifies the workers.
 */
export async function enqueueInvocations(
  transaction: Queryable,
  { accountId, invocations, maxQueued }: NewInvocations,
): Promise<Enqueued[]> {
  const room = await roomFor(transaction, accountId, maxQueued);
  const admitted = invocations.slice(0, room);
  const rows = jsonRows(queuedColumns, admitted);
  const queued =
    admitted.length === 0 ? [] : await transaction.run<{ id: string }>(enqueue, [accountId, rows]);
  const ids = new Set(queued.map(({ id }) => id));
  return invocations.map(({ id }, index) =>
    index >= room ? 'too_many' : ids.has(id) ? 'queued' : 'agent_gone',
  );
}

async function roomFor(
  transaction: Queryable,
  accountId: string,
  maxQueued: number,
): Promise<number> {
  if (maxQueued === Infinity) return Infinity;
  await takeTransactionLock(transaction, `invocations ${accountId}`);
  const [waiting] = await transaction.run<{ count: number }>(count, [accountId, maxQueued]);
  return waiting ? maxQueued - waiting.count : 0;
}

const nextAccount: Statement = {
  name: 'invocations_next_account',
  text: `
    SELECT account_id AS "accountId" FROM invocations
     WHERE status IN ('queued', 'running') AND account_id > $1 AND available_at <= now()
     ORDER BY account_id LIMIT 1`,
};

// $1 owner, $2 account, $3 limit, $4 lease in ms. The constant limit tells the planner that few rows are updated, which it cannot
// derive from the parameter.
const claim: Statement = {
  name: 'invocations_claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT * FROM (
        SELECT agent_id, id FROM invocations i
         WHERE account_id = $2 AND status IN ('queued', 'running') AND available_at <= now()
           AND (session_id IS NULL OR NOT EXISTS (
                 SELECT FROM invocations earlier
                  WHERE earlier.account_id = $2 AND earlier.agent_id = i.agent_id AND earlier.session_id = i.session_id
                    AND earlier.id < i.id AND earlier.user_id IS NOT DISTINCT FROM i.user_id
                    AND earlier.environment IS NOT DISTINCT FROM i.environment
                    AND earlier.status IN ('queued', 'running')))
         ORDER BY available_at LIMIT $3
           FOR UPDATE SKIP LOCKED) AS oldest
       LIMIT 1000
    )
    UPDATE invocations i SET status = 'running', lease_owner = $1, available_at = ${leaseEnd('$4')}
      FROM due
     WHERE i.account_id = $2 AND i.agent_id = due.agent_id AND i.id = due.id
    RETURNING ${selected('i', [...queuedFields, 'attempts'])}, i.lease_owner AS owner`,
};

/** $1 account, $2 ids, which the index needs, $3 leases. */
const isHeld = `
  account_id = $1 AND id = ANY ($2::text[]) AND status = 'running' AND id || ' ' || lease_owner = ANY ($3::text[])`;

// $4 lease in ms. SKIP LOCKED: waiting could deadlock with a statement that records or cancels several invocations. A locked row counts as
// held until the next renewal.
const renew: Statement = {
  name: 'invocations_renew',
  text: `
    WITH free AS MATERIALIZED (
      SELECT agent_id, id FROM invocations WHERE ${isHeld} FOR NO KEY UPDATE SKIP LOCKED
    ),
    renewed AS (
      UPDATE invocations i SET available_at = ${leaseEnd('$4')}
        FROM free WHERE i.account_id = $1 AND i.agent_id = free.agent_id AND i.id = free.id
    )
    SELECT id, lease_owner AS owner FROM invocations WHERE ${isHeld}`,
};

const begin: Statement = {
  name: 'invocations_begin',
  text: `
    UPDATE invocations SET attempts = attempts + 1, available_at = ${leaseEnd('$2')}
     WHERE account_id = $3 AND agent_id = $4 AND id = $5 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

const release: Statement = {
  name: 'invocations_release',
  text: `
    UPDATE invocations
       SET status = 'queued', lease_owner = NULL, attempts = least($2, attempts), available_at = now()
     WHERE account_id = $3 AND agent_id = $4 AND id = $5 AND lease_owner = $1 AND status = 'running'
    RETURNING id`,
};

/** The lease of a claimed invocation. */
type Claimed = Held<InvocationKey>;

/** Identifies a lease. */
export const leaseName = ({ id, owner }: Pick<Claimed, 'id' | 'owner'>) => `${id} ${owner}`;

interface InvocationQueueParts {
  database: Connection;
  leaseMs?: number;
}

const invocationLeaseMs = 8_000;

export class InvocationQueue {
  readonly #database: Connection;
  readonly #leaseMs: number;

  constructor({ database, leaseMs = invocationLeaseMs }: InvocationQueueParts) {
    this.#database = database;
    this.#leaseMs = leaseMs;
  }

  /** Returns the next account, in the order of ids, that has due invocations; starts over after the last. Undefined: nothing is due. */
  async nextAccount(after: string): Promise<string | undefined> {
    const [next] = await this.#database.run<{ accountId: string }>(nextAccount, [after]);
    return next || after === '' ? next?.accountId : this.nextAccount('');
  }

  /**
   * Claims the oldest due invocations of an account; only the first of each session, to keep its messages in order. Each claim has an owner
   * of its own, because a worker may claim again what it still runs, after its lease has expired.
   */
  claim(accountId: string, limit: number): Promise<ClaimedInvocation[]> {
    const values = [randomUUID(), accountId, limit, this.#leaseMs];
    return this.#database.run<ClaimedInvocation & object>(claim, values);
  }

  /** Returns the names of the leases that are still held. */
  async renew(held: readonly Claimed[]): Promise<Set<string>> {
    const renewed = await Promise.all(
      [...groupBy(held, ({ accountId }) => accountId)].map(([accountId, leases]) => {
        const ids = leases.map(({ id }) => id);
        const values = [accountId, ids, leases.map(leaseName), this.#leaseMs];
        return this.#database.run<Pick<Claimed, 'id' | 'owner'>>(renew, values);
      }),
    );
    return new Set(renewed.flat().map(leaseName));
  }

  /**
   * Counts an attempt just before the model is called, because an invocation that was still waiting did not cause its worker's
   * death. Returns false if another worker holds the invocation.
   */
  async begin({ accountId, agentId, id, owner }: Claimed): Promise<boolean> {
    const values = [owner, this.#leaseMs, accountId, agentId, id];
    return (await this.#database.run(begin, values)).length > 0;
  }

  /** For graceful shutdown: returns the invocation to the queue without counting the attempt. */
  release(claimed: ClaimedInvocation): Promise<void> {
    return this.#return(claimed, claimed.attempts);
  }

  /** For a failed attempt: returns the invocation to the queue for the next attempt. */
  retry(claimed: ClaimedInvocation): Promise<void> {
    return this.#return(claimed, null);
  }

  /** Null as `attempts` keeps their number. */
  async #return(
    { accountId, agentId, id, owner }: Claimed,
    attempts: number | null,
  ): Promise<void> {
    const values = [owner, attempts, accountId, agentId, id];
    const returned = await this.#database.run(release, values);
    if (returned.length > 0) await notify(this.#database, invocationChannel);
  }
}

const leaseColumns = { id: 'text', agentId: 'text', owner: 'text' };

// $1 account, $2 leases. Crashes count since the last step: a long run may lose any number of workers, as long as it gets on.
const markClaimed: Statement = {
  name: 'invocations_mark_claimed',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'h', leaseColumns)} ORDER BY "agentId", id
    )
    UPDATE invocations v SET has_acted = true, attempts = 0
      FROM held h
     WHERE v.account_id = $1 AND v.agent_id = h."agentId" AND v.id = h.id AND v.lease_owner = h.owner AND v.status = 'running'
       AND v.agent_id = ANY (ARRAY(SELECT "agentId" FROM held)) AND v.id = ANY (ARRAY(SELECT id FROM held))
    RETURNING v.id`,
};

/**
 * Marks invocations that are about to call tools, after which they must not start over. Returns the number of those that their worker
 * still held. Call it before `keepKeys`, since all code locks these rows in that order.
 */
export async function markClaimedInvocations(
  database: Queryable,
  accountId: string,
  leases: readonly Held<Omit<InvocationKey, 'accountId'>>[],
): Promise<number> {
  return (await database.run(markClaimed, [accountId, jsonRows(leaseColumns, leases)])).length;
}

/** The outcome of an asynchronous invocation, whose row its worker must still hold. */
const claimedRow = {
  ...outcomeColumns,
  id: 'text',
  agentId: 'text',
  worker: 'text',
  // False: the row does not keep the user, the session or the context.
  remember: 'boolean',
} as const;

export type ClaimedRow = RowOf<typeof claimedRow>;

// $1 account, $2 rows. The ANY conditions make every plan use the index of the key: the table fills within seconds, while the plan may
// be from when it was empty.
const finish: Statement = {
  name: 'invocations_finish',
  text: `
    WITH ended AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'e', claimedRow)}
    )
    UPDATE invocations v
       SET ${assigned('e', outcomeColumns)}, message = NULL,
           user_id = CASE WHEN e.remember THEN v.user_id END, session_id = CASE WHEN e.remember THEN v.session_id END,
           context = CASE WHEN e.remember THEN v.context END, available_at = NULL, lease_owner = NULL
      FROM ended e
     WHERE v.account_id = $1 AND v.agent_id = e."agentId" AND v.id = e.id AND v.lease_owner = e.worker AND v.status = 'running'
       AND v.agent_id = ANY (ARRAY(SELECT "agentId" FROM ended)) AND v.id = ANY (ARRAY(SELECT id FROM ended))
    RETURNING v.id`,
};

/** Writes the outcomes of claimed invocations. Returns the number of those that their worker still held. */
export async function finishClaimed(
  database: Queryable,
  accountId: string,
  rows: readonly ClaimedRow[],
): Promise<number> {
  return (await database.run(finish, [accountId, jsonRows(claimedRow, rows)])).length;
}

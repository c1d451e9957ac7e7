/**
 * Counts used tokens against budgets, finds exhausted budgets, and counts what accounts store and deploy in a day.
 * Why SQL: windows begin and end by the database's clock, so that instances with different clocks count in the same window.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

export interface BudgetKey {
  /** The id of an agent or an account. */
  ownerId: string;
  windowMs: number;
}

// Windows begin at multiples of their length since the epoch.
const endOfWindow = (windowMs: string) => `
  date_bin(${windowMs} * interval '1 ms', now(), 'epoch') + ${windowMs} * interval '1 ms'`;

// $1 account, $2 owners, $3 window lengths.
const windowEnd = endOfWindow('owned.window_ms');

// $4 budgets.
const exhausted: Statement = {
  name: 'budgets_exhausted',
  text: `
    SELECT owned.owner_id AS "ownerId", ends_at AS "endsAt",
           greatest(1, ceil(extract(epoch FROM ends_at - now())))::int AS seconds
      FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS owned (owner_id, window_ms, budget)
      JOIN budget_windows used ON used.account_id = $1 AND used.owner_id = owned.owner_id AND used.window_ms = owned.window_ms
                              AND used.ends_at = ${windowEnd}
     WHERE used.tokens >= owned.budget`,
};

export interface ExhaustedBudget {
  ownerId: string;
  /** When the window ends, and the seconds until then. */
  endsAt: Date;
  seconds: number;
}

export function findExhausted(
  database: Queryable,
  accountId: string,
  budgets: readonly (BudgetKey & { tokens: number })[],
): Promise<ExhaustedBudget[]> {
  return database.run<ExhaustedBudget>(exhausted, [accountId, ...columnsOf(budgets)]);
}

// $4 tokens used. The fixed order prevents deadlocks between concurrent statements.
const add: Statement = {
  name: 'budgets_add',
  text: `
    INSERT INTO budget_windows AS used (account_id, owner_id, window_ms, ends_at, tokens)
    SELECT $1, owned.owner_id, owned.window_ms, ${windowEnd}, sum(owned.tokens)
      FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS owned (owner_id, window_ms, tokens)
     GROUP BY 2, 3
     ORDER BY 2, 3
    ON CONFLICT (account_id, owner_id, window_ms, ends_at) DO UPDATE SET tokens = used.tokens + excluded.tokens`,
};

/** Counts tokens in the current windows, atomically. */
export async function addTokens(
  database: Queryable,
  accountId: string,
  used: readonly (BudgetKey & { tokens: number })[],
): Promise<void> {
  await database.run(add, [accountId, ...columnsOf(used)]);
}

function columnsOf(rows: readonly (BudgetKey & { tokens: number })[]) {
  return [
    rows.map(({ ownerId }) => ownerId),
    rows.map(({ windowMs }) => windowMs),
    rows.map(({ tokens }) => tokens),
  ];
}

/** The window of the account itself, which its token budget uses too if that is per day. */
const dayMs = 86_400_000;

const dayColumns = 'account_id, owner_id, window_ms, ends_at, tokens';
const day = (account: string) =>
  `${account}, ${account}, ${dayMs}, ${endOfWindow(String(dayMs))}, 0`;
const secondsLeft = `greatest(1, ceil(extract(epoch FROM used.ends_at - now())))::int AS "secondsLeft"`;

// $1 accounts, $2 bytes. Sorted, because instances add to the same rows at the same time.
const addBytes: Statement = {
  name: 'daily_use_add_bytes',
  text: `
    INSERT INTO budget_windows AS used (${dayColumns}, bytes)
    SELECT ${day('stored.account_id')}, stored.bytes
      FROM unnest($1::text[], $2::bigint[]) AS stored (account_id, bytes)
     ORDER BY stored.account_id
    ON CONFLICT (account_id, owner_id, window_ms, ends_at) DO UPDATE SET bytes = used.bytes + excluded.bytes
    RETURNING account_id AS "accountId", bytes::float8 AS bytes, ${secondsLeft}`,
};

interface StoredToday {
  accountId: string;
  /** What all instances have stored since the day began. */
  bytes: number;
  secondsLeft: number;
}

/** Adds bytes to the day of each account. Returns their sums. */
export function addStoredBytes(
  database: Queryable,
  bytesByAccount: ReadonlyMap<string, number>,
): Promise<StoredToday[]> {
  const values = [[...bytesByAccount.keys()], [...bytesByAccount.values()]];
  return database.run<StoredToday & object>(addBytes, values);
}

// $1 account.
const addDeployment: Statement = {
  name: 'daily_use_add_deployment',
  text: `
    INSERT INTO budget_windows AS used (${dayColumns}, deployments)
    SELECT ${day('$1::text')}, 1
    ON CONFLICT (account_id, owner_id, window_ms, ends_at) DO UPDATE SET deployments = used.deployments + 1
    RETURNING deployments, ${secondsLeft}`,
};

interface DeployedToday {
  deployments: number;
  secondsLeft: number;
}

/** Counts a deployment of the account, unless the transaction is rolled back. Other deployments of the account wait for its end. */
export async function countDeployment(
  database: Queryable,
  accountId: string,
): Promise<DeployedToday> {
  const [today] = await database.run<DeployedToday & object>(addDeployment, [accountId]);
  if (!today) throw new Error('The statement always returns a row.');
  return today;
}

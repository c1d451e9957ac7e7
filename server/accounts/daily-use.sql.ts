/**
 * Counts what accounts store and deploy in a day.
 * Why SQL: the day begins and ends by the database's clock, and one statement counts and returns the sum.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { endOfWindow } from './budgets.js';

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

/** SQL fragments that several statements share. */

/** Adds a value to the parameters and returns its placeholder, such as `$3`. */
export type Bind = (value: unknown) => string;

/** Collects the parameters of a statement that is composed from parts. */
export function parameters(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/**
 * A FROM item that makes the commit asynchronous, so that it does not wait for the disk. Use it only for leases: if a crash of the
 * database loses a lease, its holder records nothing. Work that was recorded under a lease cannot survive without it, since commits
 * reach the disk in order. Functions that use it take a Database and not a transaction, because it would make the whole
 * transaction's commit asynchronous.
 */
export const asyncCommit = `(SELECT set_config('synchronous_commit', 'off', true)) AS async_commit`;

/** Reads a page and the total in one statement, so that both come from the same snapshot. */
export const pageWithTotal = (columns: string, total: string, page: string, order: string) => `
  SELECT counted.total, ${columns}
    FROM (${total}) AS counted
    LEFT JOIN (${page}) AS page ON true
   ORDER BY ${order}`;

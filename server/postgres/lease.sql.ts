/**
 * Leases: a row belongs to its owner until a time of the database's clock, which the owner moves while it works. The row of a queue is
 * leased in the column that says when it is due (`available_at`, `next_attempt_at`), others in `lease_until`.
 */

/** A leased row, and who holds it. Owners are unique, also among past ones. */
export type Held<Key> = Key & { owner: string };

/** The end of a lease that begins now. `ms` is a parameter, such as `$2`. */
export const leaseEnd = (ms: string) => `now() + ${ms} * interval '1 ms'`;

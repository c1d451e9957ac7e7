/**
 * Begins an attempt at a one-time code.
 * Why SQL: it counts, compares and locks in one step, by the clock of the database; Prisma would need a transaction.
 */
import type { Queryable, Statement } from '../connection.js';

export interface Attempt {
  sealedSecret: Uint8Array;
}

export interface AttemptLimit {
  /** So many wrong codes in a row lock the enrolment … */
  maxFailures: number;
  /** … for so long. */
  lockMs: number;
}

// A lock that is over takes the failures before it along.
const failures = 'CASE WHEN locked_until IS NULL THEN failed_attempts + 1 ELSE 1 END';

const begin: Statement = {
  name: 'mfa_begin_attempt',
  text: `
    UPDATE mfa_enrolments
       SET failed_attempts = ${failures},
           locked_until = CASE WHEN ${failures} >= $2::int THEN now() + $3::int * interval '1 ms' END
     WHERE agent_id = $1 AND (locked_until IS NULL OR locked_until <= now())
    RETURNING sealed_secret AS "sealedSecret"`,
};

/**
 * Counts an attempt as failed before its code is looked at, so that guesses made at the same time are not worth more
 * than guesses made one after another. Undefined: there is no enrolment, or it is locked.
 */
export async function beginAttempt(
  database: Queryable,
  agentId: string,
  { maxFailures, lockMs }: AttemptLimit,
): Promise<Attempt | undefined> {
  const [attempt] = await database.run<Attempt>(begin, [agentId, maxFailures, lockMs]);
  return attempt;
}

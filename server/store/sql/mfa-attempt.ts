/**
 * Registers an attempt to verify a one-time code.
 * Why SQL: counts, compares and locks out in one statement, by the database's clock; Prisma would need a transaction.
 */
import type { Queryable, Statement } from '../connection.js';

export interface Attempt {
  sealedSecret: Uint8Array;
}

export interface AttemptLimit {
  /** The number of consecutive wrong codes that lock the enrolment … */
  maxFailures: number;
  /** … for this long. */
  lockMs: number;
}

// An expired lockout resets the failure count.
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
 * Counts the attempt as failed before the code is checked, so that concurrent guesses cannot bypass the limit. Undefined
 * if there is no enrolment or it is locked.
 */
export async function beginAttempt(
  database: Queryable,
  agentId: string,
  { maxFailures, lockMs }: AttemptLimit,
): Promise<Attempt | undefined> {
  const [attempt] = await database.run<Attempt>(begin, [agentId, maxFailures, lockMs]);
  return attempt;
}

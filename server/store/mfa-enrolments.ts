/** The shared secrets behind one-time codes, with what keeps a code from being used twice or guessed. */
import type { Transaction } from './database.js';
import type { Sql, Statement } from './sql.js';

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
  sql: Sql,
  agentId: string,
  { maxFailures, lockMs }: AttemptLimit,
): Promise<Attempt | undefined> {
  const [attempt] = await sql.run<Attempt>(begin, [agentId, maxFailures, lockMs]);
  return attempt;
}

const use: Statement = {
  name: 'mfa_use_step',
  text: `
    UPDATE mfa_enrolments SET last_used_step = $2, failed_attempts = 0, locked_until = NULL
     WHERE agent_id = $1 AND last_used_step < $2
    RETURNING agent_id`,
};

/** Whether this was the first use of the code of that step, or of a later one. The count of failures begins anew. */
export async function useStep(sql: Sql, agentId: string, step: number): Promise<boolean> {
  return (await sql.run(use, [agentId, step])).length === 1;
}

export interface Enrolment {
  createdAt: Date;
  failedAttempts: number;
  lockedUntil: Date | null;
}

export async function findEnrolment(
  transaction: Transaction,
  agentId: string,
): Promise<Enrolment | undefined> {
  const found = await transaction.mfaEnrolment.findUnique({
    where: { agentId },
    select: { createdAt: true, failedAttempts: true, lockedUntil: true },
  });
  return found ?? undefined;
}

/** In place of an earlier one, if there is one. */
export async function replaceEnrolment(
  transaction: Transaction,
  agentId: string,
  sealedSecret: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await transaction.mfaEnrolment.deleteMany({ where: { agentId } });
  await transaction.mfaEnrolment.create({ data: { agentId, sealedSecret } });
}

export async function removeEnrolment(transaction: Transaction, agentId: string): Promise<boolean> {
  const { count } = await transaction.mfaEnrolment.deleteMany({ where: { agentId } });
  return count === 1;
}

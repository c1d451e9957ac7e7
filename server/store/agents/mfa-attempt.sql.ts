/**
 * Locks the enrolment of an agent for an attempt to verify a one-time code.
 * Why SQL: FOR UPDATE and the database's clock; Prisma supports neither.
 */
import type { Statement, Transaction } from '../postgres/connection.js';

export interface Attempt {
  sealedSecret: Uint8Array;
  lastUsedStep: number;
  /** Wrong codes since the last valid one, or since the last lockout ended. */
  failedAttempts: number;
  lockedUntil: Date | null;
  /** The database's time. */
  now: Date;
}

export interface AgentKey {
  accountId: string;
  agentId: string;
}

const lock: Statement = {
  name: 'mfa_lock',
  text: `
    SELECT sealed_secret AS "sealedSecret", last_used_step::float8 AS "lastUsedStep",
           CASE WHEN locked_until <= now() THEN 0 ELSE failed_attempts END AS "failedAttempts",
           CASE WHEN locked_until > now() THEN locked_until END AS "lockedUntil", now()
      FROM mfa_enrolments
     WHERE account_id = $1 AND agent_id = $2
       FOR UPDATE`,
};

/** Serialises attempts, so that concurrent guesses cannot bypass the limit. Undefined: not enrolled. */
export async function lockEnrolment(
  transaction: Transaction,
  { accountId, agentId }: AgentKey,
): Promise<Attempt | undefined> {
  const [attempt] = await transaction.run<Attempt>(lock, [accountId, agentId]);
  return attempt;
}

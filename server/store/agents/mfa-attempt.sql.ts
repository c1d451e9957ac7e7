/**
 * Reads the enrolment of an agent, and locks it for an attempt to verify a one-time code.
 * Why SQL: FOR UPDATE and the database's clock; Prisma supports neither.
 */
import type { Connection, Statement, Transaction } from '../postgres/connection.js';

export interface Enrolment {
  sealedSecret: Uint8Array;
  createdAt: Date;
  lastUsedStep: number;
  /** Wrong codes of all callers together, since `failuresSince`. */
  failedAttempts: number;
  failuresSince: Date | null;
  /** Until then, no code is accepted from callers who have given no valid one. */
  lockedUntil: Date | null;
  callers: CallerCodes;
  /** The database's time. */
  now: Date;
}

/** By the caller's id: its wrong codes since its last valid one, and the times of its last codes. In the row, so that its lock covers them. */
export type CallerCodes = Record<string, { wrong: number; wrongAt?: string; validAt?: string }>;

export interface AgentKey {
  accountId: string;
  agentId: string;
}

const select = `
    SELECT sealed_secret AS "sealedSecret", created_at AS "createdAt", last_used_step::float8 AS "lastUsedStep",
           failed_attempts AS "failedAttempts", failures_since AS "failuresSince", locked_until AS "lockedUntil", callers, now()
      FROM mfa_enrolments
     WHERE account_id = $1 AND agent_id = $2`;

const find: Statement = { name: 'mfa_find', text: select };
const lock: Statement = { name: 'mfa_lock', text: `${select} FOR UPDATE` };

/** Undefined: not enrolled. */
export async function findEnrolment(
  connection: Connection,
  { accountId, agentId }: AgentKey,
): Promise<Enrolment | undefined> {
  const [enrolment] = await connection.run<Enrolment>(find, [accountId, agentId]);
  return enrolment;
}

/** Serialises attempts, so that concurrent guesses cannot bypass the limits. Undefined: not enrolled. */
export async function lockEnrolment(
  transaction: Transaction,
  { accountId, agentId }: AgentKey,
): Promise<Enrolment | undefined> {
  const [enrolment] = await transaction.run<Enrolment>(lock, [accountId, agentId]);
  return enrolment;
}

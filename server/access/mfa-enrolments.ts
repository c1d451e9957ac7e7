/** The shared secrets of one-time codes, with the state that prevents reuse and guessing. */
import type { Connection, Statement, Transaction } from '../postgres/connection.js';
import { currentDate } from '../lib/time/clock.js';
import { jsonOf } from '../postgres/json.js';

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

export interface EnrolmentKey {
  accountId: string;
  agentId: string;
}

// SQL because Prisma has neither FOR UPDATE nor the database's clock.
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
  { accountId, agentId }: EnrolmentKey,
): Promise<Enrolment | undefined> {
  const [enrolment] = await connection.run<Enrolment>(find, [accountId, agentId]);
  return enrolment;
}

/** Serialises attempts, so that concurrent guesses cannot bypass the limits. Undefined: not enrolled. */
export async function lockEnrolment(
  transaction: Transaction,
  { accountId, agentId }: EnrolmentKey,
): Promise<Enrolment | undefined> {
  const [enrolment] = await transaction.run<Enrolment>(lock, [accountId, agentId]);
  return enrolment;
}

/** Marks the code of a time step as used. */
export async function recordValidCode(
  { prisma }: Connection,
  agent: EnrolmentKey,
  { lastUsedStep, callers }: Pick<Enrolment, 'lastUsedStep' | 'callers'>,
): Promise<void> {
  await prisma.mfaEnrolment.update({
    where: { accountId_agentId: agent },
    data: { lastUsedStep, callers: jsonOf(callers) },
  });
}

export async function recordWrongCode(
  { prisma }: Connection,
  agent: EnrolmentKey,
  {
    callers,
    ...counts
  }: Pick<Enrolment, 'failedAttempts' | 'failuresSince' | 'lockedUntil' | 'callers'>,
): Promise<void> {
  await prisma.mfaEnrolment.update({
    where: { accountId_agentId: agent },
    data: { ...counts, callers: jsonOf(callers) },
  });
}

/** Makes a code usable again, unless a later one has been used or another authenticator was enrolled. */
export async function releaseStep(
  { prisma }: Connection,
  agent: EnrolmentKey,
  { used, before }: { used: number; before: number },
): Promise<void> {
  await prisma.mfaEnrolment.updateMany({
    where: { ...agent, lastUsedStep: used },
    data: { lastUsedStep: before },
  });
}

export async function replaceEnrolment(
  { prisma }: Connection,
  agent: EnrolmentKey,
  sealedSecret: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await prisma.mfaEnrolment.deleteMany({ where: agent });
  const data = { ...agent, sealedSecret, createdAt: currentDate() };
  await prisma.mfaEnrolment.create({ data });
}

export async function removeEnrolment(
  { prisma }: Connection,
  agent: EnrolmentKey,
): Promise<boolean> {
  const { count } = await prisma.mfaEnrolment.deleteMany({ where: agent });
  return count === 1;
}

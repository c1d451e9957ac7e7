/** One-time codes of an agent: enrols an authenticator, and accepts each code at most once. */
import { randomBytes } from 'node:crypto';
import type { Secrets } from '../installation/key-ring.js';
import { sealContexts } from '../installation/seal-contexts.js';
import { enrolmentUri, matchingStep, totpSecretBytes } from '../lib/crypto/totp.js';
import { currentDate, currentTime } from '../lib/time/clock.js';
import type { Connection, Statement } from '../postgres/connection.js';
import type { Database, Transaction } from '../postgres/database.js';
import { jsonOf } from '../postgres/json.js';
import { afterValidCode, afterWrongCode, type Attempts, lockOf } from './code-limits.js';

/** The shared secret of one-time codes, with the state that prevents reuse and guessing. In one row, so that its lock covers all. */
interface Enrolment extends Attempts {
  sealedSecret: Uint8Array;
  createdAt: Date;
  lastUsedStep: number;
}

interface EnrolmentKey {
  accountId: string;
  agentId: string;
}

/** Returns the otpauth URI for an authenticator application, which is shown only once. Replaces the authenticator that the agent has. */
export async function enrol(
  { prisma }: Transaction,
  secrets: Secrets,
  {
    id: agentId,
    accountId,
    name,
    account,
  }: { id: string; accountId: string; name: string; account: string },
): Promise<string> {
  const secret = randomBytes(totpSecretBytes);
  const sealedSecret = secrets.seal(secret, sealContexts.mfaEnrolment(agentId));
  await prisma.mfaEnrolment.deleteMany({ where: { accountId, agentId } });
  await prisma.mfaEnrolment.create({
    data: { accountId, agentId, sealedSecret, createdAt: currentDate() },
  });
  return enrolmentUri(secret, { issuer: 'Agent Hosting', account: `${account}/${name}` });
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
  database: Connection,
  { accountId, agentId }: EnrolmentKey,
): Promise<Enrolment | undefined> {
  const [enrolment] = await database.run<Enrolment>(find, [accountId, agentId]);
  return enrolment;
}

export async function removeEnrolment(
  { prisma }: Connection,
  agent: EnrolmentKey,
): Promise<boolean> {
  const { count } = await prisma.mfaEnrolment.deleteMany({ where: agent });
  return count === 1;
}

type CodeVerification =
  | { outcome: 'invalid' | 'not enrolled' }
  | { outcome: 'locked'; retryAfter: number }
  /** `release` makes the code usable again, for a request that failed for another reason. */
  | { outcome: 'valid'; release: () => Promise<void> };

/** Wrong codes are counted by caller: the id of a key, or of a token's subject. */
export type VerifyCode = (
  agent: EnrolmentKey,
  given: { caller: string; code: string },
) => Promise<CodeVerification>;

export function createCodeVerifier(
  database: Database,
  secrets: Secrets,
  now: () => number = currentTime,
): VerifyCode {
  return (agent, { caller, code }) =>
    database.transaction(async (transaction) => {
      const { accountId, agentId } = agent;
      // Serialises attempts, so that concurrent guesses cannot bypass the limits.
      const [enrolment] = await transaction.run<Enrolment>(lock, [accountId, agentId]);
      if (!enrolment) return { outcome: 'not enrolled' };
      const lockedUntil = lockOf(enrolment, caller);
      if (lockedUntil) {
        const remainingMs = lockedUntil.getTime() - enrolment.now.getTime();
        return { outcome: 'locked', retryAfter: Math.max(1, Math.ceil(remainingMs / 1000)) };
      }
      const { sealedSecret, lastUsedStep: before } = enrolment;
      const { mfaEnrolment } = transaction.prisma;
      const where = { accountId_agentId: agent };
      const secret = secrets.open(sealedSecret, sealContexts.mfaEnrolment(agentId));
      const used = matchingStep(secret, code, now());
      if (used === undefined) {
        const { callers, ...counts } = afterWrongCode(enrolment, caller);
        await mfaEnrolment.update({ where, data: { ...counts, callers: jsonOf(callers) } });
      }
      // A used code is not a guess. It does not count as a failure, so a client that repeats its request causes no lockout.
      if (used === undefined || used <= before) return { outcome: 'invalid' };
      const callers = jsonOf(afterValidCode(enrolment, caller));
      await mfaEnrolment.update({ where, data: { lastUsedStep: used, callers } });
      return { outcome: 'valid', release: () => releaseStep(database, agent, { used, before }) };
    });
}

/** Makes a code usable again, unless a later one has been used or another authenticator was enrolled. */
async function releaseStep(
  { prisma }: Connection,
  agent: EnrolmentKey,
  { used, before }: { used: number; before: number },
): Promise<void> {
  await prisma.mfaEnrolment.updateMany({
    where: { ...agent, lastUsedStep: used },
    data: { lastUsedStep: before },
  });
}

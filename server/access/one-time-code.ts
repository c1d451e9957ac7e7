/** One-time codes of an agent: enrols an authenticator, and accepts each code at most once. */
import { randomBytes } from 'node:crypto';
import { sealContexts } from '../installation/seal-contexts.js';
import type { Secrets } from '../installation/key-ring.js';
import { enrolmentUri, matchingStep, totpSecretBytes } from '../lib/crypto/totp.js';
import { currentTime } from '../lib/time/clock.js';
import type { Database, Transaction } from '../postgres/database.js';
import { afterValidCode, afterWrongCode, lockOf } from './code-limits.js';
import * as store from './mfa-enrolments.js';

type CodeVerification =
  | { outcome: 'invalid' | 'not enrolled' }
  | { outcome: 'locked'; retryAfter: number }
  /** `release` makes the code usable again, for a request that failed for another reason. */
  | { outcome: 'valid'; release: () => Promise<void> };

/** Wrong codes are counted by caller: the id of a key, or of a token's subject. */
export type VerifyCode = (
  agent: store.EnrolmentKey,
  given: { caller: string; code: string },
) => Promise<CodeVerification>;

export function createCodeVerifier(
  database: Database,
  secrets: Secrets,
  now: () => number = currentTime,
): VerifyCode {
  return (agent, { caller, code }) =>
    database.transaction(async (transaction) => {
      const enrolment = await store.lockEnrolment(transaction, agent);
      if (!enrolment) return { outcome: 'not enrolled' };
      const lock = lockOf(enrolment, caller);
      if (lock) {
        const remainingMs = lock.getTime() - enrolment.now.getTime();
        return { outcome: 'locked', retryAfter: Math.max(1, Math.ceil(remainingMs / 1000)) };
      }
      const { sealedSecret, lastUsedStep: before } = enrolment;
      const secret = secrets.open(sealedSecret, sealContexts.mfaEnrolment(agent.agentId));
      const used = matchingStep(secret, code, now());
      if (used === undefined) {
        await store.recordWrongCode(transaction, agent, afterWrongCode(enrolment, caller));
      }
      // A used code is not a guess. It does not count as a failure, so a client that repeats its request causes no lockout.
      if (used === undefined || used <= before) return { outcome: 'invalid' };
      const callers = afterValidCode(enrolment, caller);
      await store.recordValidCode(transaction, agent, { lastUsedStep: used, callers });
      const release = () => store.releaseStep(database, agent, { used, before });
      return { outcome: 'valid', release };
    });
}

/** Returns the otpauth URI for an authenticator application, which is shown only once. */
export async function enrol(
  transaction: Transaction,
  secrets: Secrets,
  agent: { id: string; accountId: string; name: string; account: string },
): Promise<string> {
  const secret = randomBytes(totpSecretBytes);
  await store.replaceEnrolment(
    transaction,
    { accountId: agent.accountId, agentId: agent.id },
    secrets.seal(secret, sealContexts.mfaEnrolment(agent.id)),
  );
  return enrolmentUri(secret, {
    issuer: 'Agent Hosting',
    account: `${agent.account}/${agent.name}`,
  });
}

/** One-time codes of an agent: enrols an authenticator, and accepts each code at most once. */
import { randomBytes } from 'node:crypto';
import { sealContexts } from '../../store/installation/seal-contexts.js';
import type { Secrets } from '../../store/installation/key-ring.js';
import { enrolmentUri, matchingStep, totpSecretBytes } from '../../lib/crypto/totp.js';
import { currentTime } from '../../lib/time/clock.js';
import type { Database, Transaction } from '../../store/postgres/database.js';
import * as store from '../../store/agents/mfa-enrolments.js';

export { findEnrolment, removeEnrolment } from '../../store/agents/mfa-enrolments.js';

type CodeVerification =
  | { outcome: 'invalid' | 'not enrolled' }
  | { outcome: 'locked'; retryAfter: number }
  /** `release` makes the code usable again, for a request that failed for another reason. */
  | { outcome: 'valid'; release: () => Promise<void> };

export type VerifyCode = (agent: store.AgentKey, code: string) => Promise<CodeVerification>;

/** Three codes are valid at any time; with this limit, guessing one takes years on average. */
const maxFailures = 5;
const lockMs = 15 * 60_000;

export function createCodeVerifier(
  database: Database,
  secrets: Secrets,
  now: () => number = currentTime,
): VerifyCode {
  return (agent, code) =>
    database.transaction(async (transaction) => {
      const attempt = await store.lockEnrolment(transaction, agent);
      if (!attempt) return { outcome: 'not enrolled' };
      const { lockedUntil, lastUsedStep: before } = attempt;
      if (lockedUntil) {
        const remainingMs = lockedUntil.getTime() - attempt.now.getTime();
        return { outcome: 'locked', retryAfter: Math.max(1, Math.ceil(remainingMs / 1000)) };
      }
      const secret = secrets.open(attempt.sealedSecret, sealContexts.mfaEnrolment(agent.agentId));
      const used = matchingStep(secret, code, now());
      if (used === undefined) await store.recordFailure(transaction, agent, failureOf(attempt));
      // A used code is not a guess. It does not count as a failure, so a client that repeats its request causes no lockout.
      if (used === undefined || used <= before) return { outcome: 'invalid' };
      await store.markStepUsed(transaction, agent, used);
      const release = () => store.releaseStep(database, agent, { used, before });
      return { outcome: 'valid', release };
    });
}

function failureOf({ failedAttempts, now }: store.Attempt) {
  const failures = failedAttempts + 1;
  const isLocked = failures >= maxFailures;
  return {
    failedAttempts: failures,
    lockedUntil: isLocked ? new Date(now.getTime() + lockMs) : null,
  };
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

/** One-time codes of an agent: enrolling an authenticator, and verifying each code at most once. */
import { randomBytes } from 'node:crypto';
import type { Secrets } from '../../lib/crypto.js';
import { enrolmentUri, matchingStep, totpSecretBytes } from '../../lib/totp.js';
import type { Database, Transaction } from '../../store/database.js';
import * as store from '../../store/mfa-enrolments.js';

export { findEnrolment, removeEnrolment } from '../../store/mfa-enrolments.js';

export type CodeVerification =
  { outcome: 'valid' | 'invalid' | 'not enrolled' } | { outcome: 'locked'; retryAfter: number };

export type VerifyCode = (agentId: string, code: string) => Promise<CodeVerification>;

/** Three codes are valid at any time; with this limit, guessing one takes years on average. */
const limit: store.AttemptLimit = { maxFailures: 5, lockMs: 15 * 60_000 };

export function createCodeVerifier(
  database: Database,
  secrets: Secrets,
  now: () => number = Date.now,
): VerifyCode {
  return async (agentId, code) => {
    const attempt = await store.beginAttempt(database, agentId, limit);
    if (!attempt) return explainRejection(database, agentId);
    const secret = secrets.open(attempt.sealedSecret, sealContext(agentId));
    const step = matchingStep(secret, code, now());
    const isFirstUse = step !== undefined && (await store.useStep(database, agentId, step));
    return { outcome: isFirstUse ? 'valid' : 'invalid' };
  };
}

async function explainRejection(database: Database, agentId: string): Promise<CodeVerification> {
  const enrolment = await store.findEnrolment(database, agentId);
  if (!enrolment) return { outcome: 'not enrolled' };
  const remainingMs = (enrolment.lockedUntil?.getTime() ?? 0) - Date.now();
  return { outcome: 'locked', retryAfter: Math.max(1, Math.ceil(remainingMs / 1000)) };
}

/** Returns the otpauth URI for an authenticator application. It is shown once. */
export async function enrol(
  transaction: Transaction,
  secrets: Secrets,
  agent: { id: string; name: string; account: string },
): Promise<string> {
  const secret = randomBytes(totpSecretBytes);
  await store.replaceEnrolment(transaction, agent.id, secrets.seal(secret, sealContext(agent.id)));
  return enrolmentUri(secret, {
    issuer: 'Agent Hosting',
    account: `${agent.account}/${agent.name}`,
  });
}

const sealContext = (agentId: string) => `mfa ${agentId}`;

/** The shared secrets of one-time codes, with the state that prevents reuse and guessing. */
import type { Connection } from '../postgres/connection.js';
import { currentDate } from '../../lib/time/clock.js';
import { jsonOf } from '../postgres/json.js';
import type { AgentKey, Enrolment } from './mfa-attempt.sql.js';

export {
  type AgentKey,
  type CallerCodes,
  type Enrolment,
  findEnrolment,
  lockEnrolment,
} from './mfa-attempt.sql.js';

/** Marks the code of a time step as used. */
export async function recordValidCode(
  { prisma }: Connection,
  agent: AgentKey,
  { lastUsedStep, callers }: Pick<Enrolment, 'lastUsedStep' | 'callers'>,
): Promise<void> {
  await prisma.mfaEnrolment.update({
    where: { accountId_agentId: agent },
    data: { lastUsedStep, callers: jsonOf(callers) },
  });
}

export async function recordWrongCode(
  { prisma }: Connection,
  agent: AgentKey,
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
  agent: AgentKey,
  { used, before }: { used: number; before: number },
): Promise<void> {
  await prisma.mfaEnrolment.updateMany({
    where: { ...agent, lastUsedStep: used },
    data: { lastUsedStep: before },
  });
}

export async function replaceEnrolment(
  { prisma }: Connection,
  agent: AgentKey,
  sealedSecret: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await prisma.mfaEnrolment.deleteMany({ where: agent });
  const data = { ...agent, sealedSecret, createdAt: currentDate() };
  await prisma.mfaEnrolment.create({ data });
}

export async function removeEnrolment({ prisma }: Connection, agent: AgentKey): Promise<boolean> {
  const { count } = await prisma.mfaEnrolment.deleteMany({ where: agent });
  return count === 1;
}

/** The shared secrets of one-time codes, with the state that prevents reuse and guessing. */
import type { Connection } from '../postgres/connection.js';
import type { AgentKey } from './mfa-attempt.sql.js';
import { currentDate } from '../../lib/time/clock.js';

export { type AgentKey, type Attempt, lockEnrolment } from './mfa-attempt.sql.js';

/** Marks the code of a time step as used and resets the failure count. */
export async function markStepUsed(
  { prisma }: Connection,
  agent: AgentKey,
  lastUsedStep: number,
): Promise<void> {
  await prisma.mfaEnrolment.update({
    where: { accountId_agentId: agent },
    data: { lastUsedStep, failedAttempts: 0, lockedUntil: null },
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

export async function recordFailure(
  { prisma }: Connection,
  agent: AgentKey,
  failure: { failedAttempts: number; lockedUntil: Date | null },
): Promise<void> {
  await prisma.mfaEnrolment.update({ where: { accountId_agentId: agent }, data: failure });
}

interface Enrolment {
  createdAt: Date;
  failedAttempts: number;
  lockedUntil: Date | null;
}

export async function findEnrolment(
  { prisma }: Connection,
  agent: AgentKey,
): Promise<Enrolment | undefined> {
  const found = await prisma.mfaEnrolment.findUnique({
    where: { accountId_agentId: agent },
    select: { createdAt: true, failedAttempts: true, lockedUntil: true },
  });
  return found ?? undefined;
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

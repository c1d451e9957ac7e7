/** The shared secrets of one-time codes, with the state that prevents reuse and guessing. */
import type { Connection } from '../postgres/connection.js';

export { type Attempt, lockEnrolment } from './mfa-attempt.sql.js';

/** Marks the code of a time step as used and resets the failure count. */
export async function useStep(
  { prisma }: Connection,
  agentId: string,
  lastUsedStep: number,
): Promise<void> {
  await prisma.mfaEnrolment.update({
    where: { agentId },
    data: { lastUsedStep, failedAttempts: 0, lockedUntil: null },
  });
}

/** Makes a code usable again, unless a later one has been used or another authenticator was enrolled. */
export async function releaseStep(
  { prisma }: Connection,
  agentId: string,
  { used, before }: { used: number; before: number },
): Promise<void> {
  await prisma.mfaEnrolment.updateMany({
    where: { agentId, lastUsedStep: used },
    data: { lastUsedStep: before },
  });
}

export async function recordFailure(
  { prisma }: Connection,
  agentId: string,
  failure: { failedAttempts: number; lockedUntil: Date | null },
): Promise<void> {
  await prisma.mfaEnrolment.update({ where: { agentId }, data: failure });
}

export interface Enrolment {
  createdAt: Date;
  failedAttempts: number;
  lockedUntil: Date | null;
}

export async function findEnrolment(
  { prisma }: Connection,
  agentId: string,
): Promise<Enrolment | undefined> {
  const found = await prisma.mfaEnrolment.findUnique({
    where: { agentId },
    select: { createdAt: true, failedAttempts: true, lockedUntil: true },
  });
  return found ?? undefined;
}

export async function replaceEnrolment(
  { prisma }: Connection,
  agentId: string,
  sealedSecret: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await prisma.mfaEnrolment.deleteMany({ where: { agentId } });
  await prisma.mfaEnrolment.create({ data: { agentId, sealedSecret } });
}

export async function removeEnrolment({ prisma }: Connection, agentId: string): Promise<boolean> {
  const { count } = await prisma.mfaEnrolment.deleteMany({ where: { agentId } });
  return count === 1;
}

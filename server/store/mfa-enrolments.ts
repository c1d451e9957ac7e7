/** The shared secrets of one-time codes, with the state that prevents reuse and guessing. */
import type { Connection } from './connection.js';

export { type Attempt, type AttemptLimit, beginAttempt } from './sql/mfa-attempt.js';

/** Marks the code of a time step as used and resets the failure count. False: it, or a later one, was used before. */
export async function useStep(
  { prisma }: Connection,
  agentId: string,
  step: number,
): Promise<boolean> {
  const { count } = await prisma.mfaEnrolment.updateMany({
    where: { agentId, lastUsedStep: { lt: step } },
    data: { lastUsedStep: step, failedAttempts: 0, lockedUntil: null },
  });
  return count === 1;
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

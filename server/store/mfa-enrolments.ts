/** The shared secrets behind one-time codes, with what keeps a code from being used twice or guessed. */
import type { Connection } from './connection.js';

export { type Attempt, type AttemptLimit, beginAttempt } from './sql/mfa-attempt.js';

/** Whether this was the first use of the code of that step, or of a later one. The count of failures begins anew. */
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

/** In place of an earlier one, if there is one. */
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

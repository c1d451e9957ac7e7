/**
 * Limits wrong one-time codes: by caller, so that no caller locks out another, and for all callers of an agent together, so that many
 * cannot guess faster than one. Three codes are valid at any time: with these limits, guessing one takes almost two years on average.
 */

/** By the caller's id: its wrong codes since its last valid one, and the times of its last codes. */
type CallerCodes = Record<string, { wrong: number; wrongAt?: string; validAt?: string }>;

/** What an agent's callers have tried. */
export interface Attempts {
  /** Wrong codes of all callers together, since `failuresSince`. */
  failedAttempts: number;
  failuresSince: Date | null;
  /** Until then, no code is accepted from callers who have given no valid one. */
  lockedUntil: Date | null;
  callers: CallerCodes;
  /** The database's time. */
  now: Date;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const maxWrongOfCaller = 5;
const callerLockMs = 15 * minuteMs;

/** More than one caller can give in a day. */
const maxWrongOfAll = 500;
const windowMs = dayMs;

/** A caller who has given a valid code is not subject to the limit of all: others cannot lock it out. */
const knownForMs = 90 * dayMs;

/** Until when no code of this caller is checked; undefined if it may give one. */
export function lockOf(attempts: Attempts, caller: string): Date | undefined {
  const { callers, lockedUntil, now } = attempts;
  const own = callers[caller];
  const locks = [lockOfCaller(own), isKnown(own, now) ? null : lockedUntil];
  return locks.find((until) => until && until > now) ?? undefined;
}

export function lockedCallers({ callers, now }: Attempts): { caller: string; until: Date }[] {
  return Object.entries(callers).flatMap(([caller, codes]) => {
    const until = lockOfCaller(codes);
    return until && until > now ? [{ caller, until }] : [];
  });
}

/** Of all callers together. */
export function wrongCodesToday(attempts: Attempts): number {
  return windowOf(attempts).wrong;
}

/** The counts after a wrong code of the caller. */
export function afterWrongCode(attempts: Attempts, caller: string) {
  const { callers, now } = attempts;
  const own = callers[caller];
  const { wrong, since } = windowOf(attempts);
  const isOver = wrong + 1 >= maxWrongOfAll;
  return {
    failedAttempts: wrong + 1,
    failuresSince: since,
    lockedUntil: isOver ? new Date(since.getTime() + windowMs) : null,
    callers: {
      ...recent(callers, now),
      [caller]: { ...own, wrong: wrongInARow(own, now) + 1, wrongAt: now.toISOString() },
    },
  };
}

/** The callers after a valid code of this one. The count of all stays: otherwise it would not limit those who guess beside the owner. */
export function afterValidCode({ callers, now }: Attempts, caller: string): CallerCodes {
  return { ...recent(callers, now), [caller]: { wrong: 0, validAt: now.toISOString() } };
}

type Codes = CallerCodes[string] | undefined;

function lockOfCaller(codes: Codes): Date | undefined {
  if (codes?.wrongAt === undefined || codes.wrong < maxWrongOfCaller) return undefined;
  return new Date(Date.parse(codes.wrongAt) + callerLockMs);
}

/** A lock that has ended starts the count anew. */
function wrongInARow(codes: Codes, now: Date): number {
  const lock = lockOfCaller(codes);
  return codes === undefined || (lock && lock <= now) ? 0 : codes.wrong;
}

function windowOf({ failedAttempts, failuresSince, now }: Attempts) {
  return failuresSince && isWithin(failuresSince, windowMs, now)
    ? { wrong: failedAttempts, since: failuresSince }
    : { wrong: 0, since: now };
}

function isKnown(codes: Codes, now: Date): boolean {
  return codes?.validAt !== undefined && isWithin(new Date(codes.validAt), knownForMs, now);
}

/** Without those who have nothing but old wrong codes, so that the row stays small however many callers guess. */
function recent(callers: CallerCodes, now: Date): CallerCodes {
  const kept = Object.entries(callers).filter(
    ([, codes]) =>
      isKnown(codes, now) ||
      (codes.wrongAt !== undefined && isWithin(new Date(codes.wrongAt), dayMs, now)),
  );
  return Object.fromEntries(kept);
}

function isWithin(time: Date, ms: number, now: Date): boolean {
  return now.getTime() - time.getTime() < ms;
}

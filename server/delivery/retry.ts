/** When a delivery is tried again. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pause after the first failed attempt, after the second, and so on. */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

export const maxAttempts = pauses.length + 1;

const jitter = 0.2;
const longestWish = 24 * hour;

/**
 * Milliseconds to wait after so many failed attempts; null if that was the last. The jitter only ever adds, and so does
 * what the receiver wishes: a short wish must not use all attempts up within a short outage.
 */
export function pauseAfter(
  attempts: number,
  { wishMs = 0, random = Math.random }: { wishMs?: number | undefined; random?: () => number } = {},
): number | null {
  const pause = pauses[attempts - 1];
  if (pause === undefined) return null;
  return Math.max(pause * (1 + jitter * random()), Math.min(wishMs, longestWish));
}

/** Reads Retry-After, which is in seconds or a date; undefined if it is neither. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * second;
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A pause as a person says it. */
export function sayPause(ms: number): string {
  const [amount, unit] =
    ms < minute
      ? [ms / second, 'second']
      : ms < hour
        ? [ms / minute, 'minute']
        : [ms / hour, 'hour'];
  const rounded = Math.round(amount);
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}

/** The retry schedule of deliveries. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay after the first failed attempt, the second, and so on. */
const delays = [
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

export const maxAttempts = delays.length + 1;

const jitter = 0.2;
const maxRetryAfter = 24 * hour;

/**
 * Milliseconds to wait after the given number of failed attempts; null after the last one. Jitter and the receiver's
 * Retry-After only lengthen the delay: a short Retry-After must not use up all attempts within a short outage.
 */
export function retryDelay(
  attempts: number,
  {
    retryAfterMs = 0,
    random = Math.random,
  }: { retryAfterMs?: number | undefined; random?: () => number } = {},
): number | null {
  const delay = delays[attempts - 1];
  if (delay === undefined) return null;
  return Math.max(delay * (1 + jitter * random()), Math.min(retryAfterMs, maxRetryAfter));
}

/** For people, such as "5 minutes". */
export function formatDelay(ms: number): string {
  const [amount, unit] =
    ms < minute
      ? [ms / second, 'second']
      : ms < hour
        ? [ms / minute, 'minute']
        : [ms / hour, 'hour'];
  const rounded = Math.round(amount);
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}

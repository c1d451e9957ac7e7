/** Reads how long another server asks to wait. */

type HeaderValue = string | string[] | undefined;

/** From the Retry-After header, as seconds or as a date, or its finer variant in milliseconds; undefined if neither. */
export function retryAfterMs(
  headers: Record<string, HeaderValue>,
  now = Date.now(),
): number | undefined {
  const fine = numberIn(headers['retry-after-ms']);
  if (fine !== undefined) return fine;
  const value = headers['retry-after'];
  const seconds = numberIn(value);
  if (seconds !== undefined) return seconds * 1000;
  // A date begins with the day of the week; Date.parse alone would find one in many a number.
  const date = typeof value === 'string' && /^[A-Z]/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberIn(value: HeaderValue): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value.trim())
    ? Number(value)
    : undefined;
}

/** Reads how long another server asks to wait. */

type HeaderValue = string | string[] | undefined;

/** Of a Retry-After header, which is in whole seconds or a date; undefined if it is neither. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // A date begins with the day of the week; Date.parse alone would find one in many a number.
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Of a model provider's headers: some have a finer variant in milliseconds, and some send fractions of a second. */
export function retryAfterMs(
  headers: Record<string, HeaderValue>,
  now = Date.now(),
): number | undefined {
  const milliseconds = decimalIn(headers['retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;
  const value = headers['retry-after'];
  const seconds = decimalIn(value);
  if (seconds !== undefined) return seconds * 1000;
  return typeof value === 'string' ? parseRetryAfter(value, now) : undefined;
}

function decimalIn(value: HeaderValue): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value.trim())
    ? Number(value)
    : undefined;
}

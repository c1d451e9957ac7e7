/** Parses Retry-After headers. */

type HeaderValue = string | string[] | undefined;

/** The delay in milliseconds; undefined unless the header is a number of seconds or a date. */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // Require the day of the week: Date.parse alone accepts many numbers as dates.
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Also accepts the non-standard `retry-after-ms` and fractions of a second, which some APIs send. */
export function retryAfterMs(
  headers: Record<string, HeaderValue>,
  now = Date.now(),
): number | undefined {
  const milliseconds = parseDecimal(headers['retry-after-ms']);
  if (milliseconds !== undefined) return milliseconds;
  const value = headers['retry-after'];
  const seconds = parseDecimal(value);
  if (seconds !== undefined) return seconds * 1000;
  return typeof value === 'string' ? parseRetryAfter(value, now) : undefined;
}

function parseDecimal(value: HeaderValue): number | undefined {
  return typeof value === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(value.trim())
    ? Number(value)
    : undefined;
}

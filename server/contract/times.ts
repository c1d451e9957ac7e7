/** Reads the contract's times. */
import { invalid } from './errors.js';

const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** The time in milliseconds. The validator has checked the format, but allows years that ids and responses cannot represent. */
export function timeOf(text: string, field: string): number {
  const time = Date.parse(text);
  // RFC 3339 allows leap seconds; Date cannot represent them.
  if (Number.isNaN(time)) throw invalid({ field, error: 'must not be a leap second' });
  if (time < 0 || time > latest) {
    throw invalid({ field, error: 'must be from the year 1970 to the year 9999, in UTC' });
  }
  return time;
}

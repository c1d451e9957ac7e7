/**
 * The time by the database's clock, which all instances share, for times that are stored or compared with stored ones. This machine's
 * clock may be wrong; `Date.now()` is for what stays in the process, such as deadlines and log lines.
 */
let offsetMs = 0;

export function currentTime(): number {
  return Date.now() + offsetMs;
}

export function currentDate(): Date {
  return new Date(currentTime());
}

/** What the database's clock is ahead of this machine's. */
export interface ClockReading {
  offsetMs: number;
  /** The reading's largest error. */
  toleranceMs: number;
}

/** Returns the offset from now on. It stays as it is while readings agree with it, so that time does not jump by their errors. */
export function adjustClock(reading: ClockReading): number {
  const isOff = Math.abs(reading.offsetMs - offsetMs) > reading.toleranceMs;
  if (isOff) offsetMs = Math.round(reading.offsetMs);
  return offsetMs;
}

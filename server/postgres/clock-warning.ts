/** Warns if this machine's clock differs from the database's, and when it agrees again. */
import { adjustClock, type ClockReading } from '../lib/time/clock.js';

/** A difference of more than this is worth a warning, and so is a change of it. */
const largeMs = 5_000;

/** Returns a function that adjusts the clock of the process to a reading of the database's. */
export function followClock(warn: (message: string) => void): (reading: ClockReading) => void {
  let warnedMs = 0;
  return (reading) => {
    const offsetMs = adjustClock(reading);
    if (Math.abs(offsetMs - warnedMs) <= largeMs) return;
    warnedMs = Math.abs(offsetMs) > largeMs ? offsetMs : 0;
    if (warnedMs === 0) {
      warn("This machine's clock agrees with the database's again.");
      return;
    }
    const seconds = Math.round(Math.abs(offsetMs) / 1000);
    warn(
      `This machine's clock is ${seconds} s ${offsetMs < 0 ? 'ahead of' : 'behind'} the database's. ` +
        "Stored times are the database's. Set the clock, and keep it right with NTP.",
    );
  };
}

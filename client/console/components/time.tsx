/** A moment: relative to now, the exact time on hover. */
import { timeSince, timeUntil } from '../lib/relative-time.js';
import { exactTime, now } from '../lib/time.js';

interface TimeProps {
  at: string;
  /** It may be still to come, such as the end of a key. What the service did is always in the past. */
  mayBeAhead?: boolean;
}

export function Time({ at, mayBeAhead = false }: TimeProps) {
  const moment = Date.parse(at);
  // The clock ticks a few times a minute, and what is shown may be younger than the last tick.
  const present = Math.max(now.value, Date.now());
  const isAhead = mayBeAhead && moment > present;
  return (
    <time dateTime={at} title={exactTime(moment)}>
      {isAhead ? timeUntil(moment, present) : timeSince(moment, present)}
    </time>
  );
}

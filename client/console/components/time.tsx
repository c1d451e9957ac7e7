/** A time relative to now, with the exact time on hover. */
import { timeSince, timeUntil } from '../lib/relative-time.js';
import { exactTime, now } from '../lib/time.js';

interface TimeProps {
  at: string;
  /** Whether it may be in the future, such as the expiry of a key. All other times are shown as past. */
  mayBeFuture?: boolean;
}

export function Time({ at, mayBeFuture = false }: TimeProps) {
  const moment = Date.parse(at);
  // The time may be later than the last tick of `now`, which ticks a few times a minute.
  const present = Math.max(now.value, Date.now());
  const isFuture = mayBeFuture && moment > present;
  return (
    <time dateTime={at} title={exactTime(moment)}>
      {isFuture ? timeUntil(moment, present) : timeSince(moment, present)}
    </time>
  );
}

/** A moment: relative to now, the exact time on hover. */
import { exactTime, now, relativeTime } from '../lib/time.js';

export function Time({ at }: { at: string }) {
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(moment)}>
      {relativeTime(moment, now.value)}
    </time>
  );
}

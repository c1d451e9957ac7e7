/** A line of the log. */
import type { LogEntry } from '../../../src/index.js';
import { Text } from '../../components/text.js';
import { clockTime, dayOf } from '../../lib/time.js';

export function EntryRow({ entry: { timestamp, level, message } }: { entry: LogEntry }) {
  const at = Date.parse(timestamp);
  return (
    <>
      <time dateTime={timestamp} title={timestamp}>
        <span class="day">{dayOf(at)}</span> {clockTime(at)}
      </time>
      <span class={`level ${level}`}>{level}</span>
      <span class="message">
        <Text>{message}</Text>
      </span>
    </>
  );
}

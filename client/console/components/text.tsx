/** Text from elsewhere: shown as it is, with what would be invisible or change the direction of writing as escapes. */
import { escapeReply, escapeUnprintable } from '../../src/printable.js';

/** On one line, cut to what a row can show. */
export function Text({ children, max = 300 }: { children: string; max?: number }) {
  const text = children.length > max ? `${children.slice(0, max)}…` : children;
  return <bdi>{escapeUnprintable(text)}</bdi>;
}

/** With line breaks. */
export function Prose({ children }: { children: string }) {
  return (
    <div class="prose" dir="auto">
      {escapeReply(children)}
    </div>
  );
}

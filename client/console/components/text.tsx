/** Untrusted text, with escapes for characters that are invisible or change the text direction. */
import { escapeReply, escapeUnprintable } from '../../src/printable.js';

/** On one line, truncated. */
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

/** A line of output without its styles. */
import type { Line } from '../../client/cli/terminal.js';

export function plainText(line: Line): string {
  const parts = typeof line === 'string' ? [line] : line;
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/** Passes the output of another process on in whole lines, so that the lines of several processes do not mix. */
import type { Readable } from 'node:stream';

const newline = 10;

export function relayLines(from: Readable, write: (lines: string) => void): void {
  let unfinished: Buffer[] = [];
  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      write(Buffer.concat([...unfinished, chunk.subarray(0, end)]).toString());
      unfinished = [];
    }
    if (end < chunk.length) unfinished.push(chunk.subarray(end));
  });
  from.on('end', () => {
    if (unfinished.length > 0) write(`${Buffer.concat(unfinished).toString()}\n`);
  });
}

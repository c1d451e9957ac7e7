/** Passes the output of another process on in whole lines, so that the lines of several processes do not mix. */
import { type Readable, Transform, type Writable } from 'node:stream';

const newline = 10;

export function relayLines(from: Readable, to: Writable): void {
  let unfinished: Buffer[] = [];
  const wholeLines = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const end = chunk.lastIndexOf(newline) + 1;
      if (end > 0) {
        this.push(Buffer.concat([...unfinished, chunk.subarray(0, end)]));
        unfinished = [];
      }
      if (end < chunk.length) unfinished.push(chunk.subarray(end));
      done();
    },
    flush(done) {
      if (unfinished.length > 0) this.push(Buffer.concat([...unfinished, Buffer.of(newline)]));
      done();
    },
  });
  from.pipe(wholeLines).pipe(to, { end: false });
}

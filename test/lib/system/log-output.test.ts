/** Lines of several processes on one stream. */
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, test } from '@jest/globals';
import { relayLines } from '../../../server/lib/system/log-output.js';

test('only complete lines are passed on, so that those of two processes do not mix', async () => {
  const [first, second] = [new PassThrough(), new PassThrough()];
  let written = '';
  const write = (lines: string) => (written += lines);
  relayLines(first, write);
  relayLines(second, write);
  first.write('one, ');
  second.write('a\nb, ');
  first.write('two\nthr');
  second.write('c\n');
  first.end('ee');
  second.end();
  await Promise.all([finished(first), finished(second)]);
  expect(written.split('\n').sort()).toEqual(['', 'a', 'b, c', 'one, two', 'three']);
});

test('no character is split at a chunk boundary', async () => {
  const from = new PassThrough();
  let written = '';
  relayLines(from, (lines) => (written += lines));
  for (const byte of Buffer.from('größer\n→ weiter\n')) from.write(Buffer.of(byte));
  from.end();
  await finished(from);
  expect(written).toBe('größer\n→ weiter\n');
});

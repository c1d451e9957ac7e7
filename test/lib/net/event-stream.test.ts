import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readServerSentEvents, type ReceivedEvent } from '../../../server/lib/net/event-stream.js';

async function* arriving(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of [...sizes, bytes.length]) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
    start += size;
  }
}

async function read(text: string, sizes: readonly number[] = []): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  for await (const event of readServerSentEvents(arriving(Buffer.from(text), sizes)))
    events.push(event);
  return events;
}

test('reads events with and without names, with one or several data lines', async () => {
  expect(await read('event: delta\ndata: {"a":\ndata: 1}\n\ndata:bare\n\n')).toEqual([
    { event: 'delta', data: '{"a":\n1}' },
    { event: 'message', data: 'bare' },
  ]);
});

test('skips comments, unknown fields and an unfinished event', async () => {
  expect(
    await read(': ping\n\nid: 1\nretry: 5\n\nevent: x\ndata: 1\n\nevent: y\ndata: 2\n'),
  ).toEqual([{ event: 'x', data: '1' }]);
});

test('is independent of line endings and packet boundaries', async () => {
  const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
  const sizes = fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(lineEnds, sizes, async (end, cuts) => {
      const text = ['event: delta', 'data: {"text":"über 😀"}', '', 'data: 2', '', ''].join(end);
      expect(await read(`${text}: end\n\n`, cuts)).toEqual([
        { event: 'delta', data: '{"text":"über 😀"}' },
        { event: 'message', data: '2' },
      ]);
    }),
  );
});

test('rejects a response of unknown fields, each of which costs more than its bytes', async () => {
  expect(await read(`${'x\n'.repeat(1_000)}data: 1\n\n`)).toEqual([
    { event: 'message', data: '1' },
  ]);
  await expect(read('x\n'.repeat(1_001))).rejects.toMatchObject({ name: 'ResponseTooLarge' });
});

test('reads a long line in small chunks in linear time', async () => {
  const chunk = Buffer.from('x'.repeat(64));
  const count = 100_000;
  async function* chunks() {
    yield await Promise.resolve(Buffer.from('data: '));
    for (let sent = 0; sent < count; sent += 1) yield chunk;
    yield Buffer.from('\n\n');
  }
  // In quadratic time this would take hours and hit the test's timeout.
  const lengths: number[] = [];
  for await (const { data } of readServerSentEvents(chunks())) lengths.push(data.length);
  expect(lengths).toEqual([count * chunk.length]);
});

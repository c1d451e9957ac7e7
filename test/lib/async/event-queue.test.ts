import { expect, test } from '@jest/globals';
import { createEventQueue } from '../../../server/lib/async/event-queue.js';

async function take<Item>(queue: AsyncIterable<Item>): Promise<Item[]> {
  const taken: Item[] = [];
  for await (const item of queue) taken.push(item);
  return taken;
}

test('delivers events pushed before and after the reading began, in order', async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  queue.push(2);
  const taking = take(queue);
  await Promise.resolve();
  queue.push(3);
  queue.end();
  expect(await taking).toEqual([1, 2, 3]);
});

test('delivers an error after all events pushed before it', async () => {
  const queue = createEventQueue<number>();
  queue.push(1);
  queue.fail(new Error('broken'));
  const taken: number[] = [];
  const taking = (async () => {
    for await (const item of queue) taken.push(item);
  })();
  await expect(taking).rejects.toThrow('broken');
  expect(taken).toEqual([1]);
});

test('delivers an error that comes while nothing is left to read', async () => {
  const queue = createEventQueue<number>();
  const taking = take(queue);
  await Promise.resolve();
  queue.fail(new Error('broken'));
  await expect(taking).rejects.toThrow('broken');
});

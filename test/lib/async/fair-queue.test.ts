/** A queue for a limited resource, fair to accounts. */
import { expect, test } from '@jest/globals';
import { createFairQueue, type Release } from '../../../server/lib/async/fair-queue.js';

/** Requests a slot for the account, and records the order of grants. */
function recordingQueue(slots: number) {
  const queue = createFairQueue(slots);
  const inside: { name: string; release: Release }[] = [];
  return {
    inside,
    names: () => inside.map(({ name }) => name),
    arrive: (...names: string[]) => {
      for (const name of names) {
        void queue.enter(name.charAt(0)).then((release) => inside.push({ name, release }));
      }
      return settled();
    },
    leave: (name: string) => {
      const [visitor] = inside.splice(
        inside.findIndex((one) => one.name === name),
        1,
      );
      visitor?.release();
      return settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a single account gets half of the slots, in order, and the first request of another does not wait', async () => {
  const { arrive, leave, names } = recordingQueue(4);
  await arrive('a1', 'a2', 'a3', 'a4');
  expect(names()).toEqual(['a1', 'a2']);
  await arrive('b1');
  expect(names()).toEqual(['a1', 'a2', 'b1']);
  await leave('a1');
  expect(names()).toEqual(['a2', 'b1', 'a3']);
});

test('a free slot goes to the account that has waited longest, however many requests another has waiting', async () => {
  const { arrive, leave, names } = recordingQueue(2);
  await arrive('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
  expect(names()).toEqual(['a1', 'b1']);
  await leave('a1');
  expect(names()).toEqual(['b1', 'a2']);
  await leave('b1');
  expect(names()).toEqual(['a2', 'b2']);
  await leave('a2');
  expect(names()).toEqual(['b2', 'c1']);
});

test('a slot that is released twice is granted once', async () => {
  const { arrive, inside, names } = recordingQueue(2);
  await arrive('a1', 'a2', 'a3');
  const [first] = inside.splice(0, 1);
  first?.release();
  first?.release();
  await settled();
  expect(names()).toEqual(['a2']);
});

test('a request that is aborted leaves the queue, and rejects with the reason', async () => {
  const queue = createFairQueue(1);
  const release = await queue.enter('a');
  const controller = new AbortController();
  const aborted = queue.enter('b', controller.signal);
  const next = queue.enter('c');
  const reason = new Error('The client has gone.');
  controller.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  await expect(queue.enter('d', controller.signal)).rejects.toBe(reason);
  release();
  await expect(next).resolves.toBeInstanceOf(Function);
});

/** A queue for a limited resource, fair to accounts. */
import { expect, test } from '@jest/globals';
import { FairQueue, type Release } from '../../../server/lib/async/fair-queue.js';

/** Requests a slot for the account, and records the order of grants. */
function recordingQueue(slots: number) {
  const queue = new FairQueue(slots);
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

test('an account that asks for room gets what it can take one by one', () => {
  const queue = new FairQueue(6);
  expect(queue.roomFor('a')).toBe(3);
  const [release] = [queue.take('a'), queue.take('a'), queue.take('a')];
  expect([queue.roomFor('a'), queue.roomFor('b'), queue.free]).toEqual([0, 2, 3]);
  release();
  expect([queue.roomFor('a'), queue.isIdle]).toEqual([1, false]);
});

test('a request that comes first passes the others of its account only', async () => {
  const queue = new FairQueue(1);
  const release = await queue.enter('a');
  const order: string[] = [];
  const wait = (account: string, name: string, isFirst = false) =>
    queue.enter(account, { isFirst }).then((leave) => {
      order.push(name);
      leave();
    });
  const all = [wait('b', 'b1'), wait('a', 'a1'), wait('a', 'a2', true)];
  release();
  await Promise.all(all);
  expect(order).toEqual(['b1', 'a2', 'a1']);
});

test('work that fails frees its slot', async () => {
  const queue = new FairQueue(1);
  const failure = new Error('It failed.');
  await expect(queue.run('a', () => Promise.reject(failure))).rejects.toBe(failure);
  expect(await queue.run('a', () => Promise.resolve('done'))).toBe('done');
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
  const queue = new FairQueue(1);
  const release = await queue.enter('a');
  const controller = new AbortController();
  const aborted = queue.enter('b', controller);
  expect(queue.waitingOf('b')).toBe(1);
  const next = queue.enter('c');
  const reason = new Error('The client has gone.');
  controller.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  await expect(queue.enter('d', controller)).rejects.toBe(reason);
  release();
  await expect(next).resolves.toBeInstanceOf(Function);
});

/** A queue for a limited resource, fair to accounts. */
import { expect, test } from '@jest/globals';
import {
  createFairQueue,
  type FairQueueOptions,
  type Release,
} from '../../server/lib/fair-queue.js';

/** Enters for the account, and notes who got a slot in which order. */
function visitors(slots: number, options?: FairQueueOptions) {
  const queue = createFairQueue(slots, options);
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

test('one account alone gets half, in its order, and a newcomer waits for nobody', async () => {
  const { arrive, leave, names } = visitors(4);
  await arrive('a1', 'a2', 'a3', 'a4');
  expect(names()).toEqual(['a1', 'a2']);
  await arrive('b1');
  expect(names()).toEqual(['a1', 'a2', 'b1']);
  await leave('a1');
  expect(names()).toEqual(['a2', 'b1', 'a3']);
});

test('a free slot goes to the account that waited longest for one, however many another has waiting', async () => {
  const { arrive, leave, names } = visitors(2);
  await arrive('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
  expect(names()).toEqual(['a1', 'b1']);
  await leave('a1');
  expect(names()).toEqual(['b1', 'a2']);
  await leave('b1');
  expect(names()).toEqual(['a2', 'b2']);
  await leave('a2');
  expect(names()).toEqual(['b2', 'c1']);
});

test('a slot that is released twice is given to one', async () => {
  const { arrive, inside, names } = visitors(2);
  await arrive('a1', 'a2', 'a3');
  const [first] = inside.splice(0, 1);
  first?.release();
  first?.release();
  await settled();
  expect(names()).toEqual(['a2']);
});

test('in company an account has fewer, and as many as before once it is alone again', async () => {
  let time = 0;
  const { arrive, leave, names } = visitors(10, { maxInCompany: 2, now: () => time });
  await arrive('a1', 'a2', 'a3', 'a4');
  expect(names()).toEqual(['a1', 'a2', 'a3', 'a4']);
  await arrive('b1', 'b2', 'b3', 'a5');
  expect(names()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
  await leave('a1');
  await leave('a2');
  expect(names()).toEqual(['a3', 'a4', 'b1', 'b2']);
  await leave('a3');
  expect(names()).toEqual(['a4', 'b1', 'b2', 'a5']);
  await arrive('a6', 'a7');
  time = 1_001;
  await leave('b1');
  expect(names()).toEqual(['a4', 'b2', 'a5', 'b3', 'a6', 'a7']);
});

/** So many per account and iteration of the event loop. */
import { expect, test } from '@jest/globals';
import { createPacer } from '../../server/lib/pacer.js';

const iteration = () => new Promise((resolve) => setImmediate(resolve));

test('as many of an account go on per iteration as it says, and others do not wait for them', async () => {
  const pace = createPacer(2);
  const passed: string[] = [];
  const arrive = (...names: string[]) => {
    for (const name of names) void pace(name.charAt(0)).then(() => passed.push(name));
  };
  arrive('a1', 'a2', 'a3', 'a4', 'a5', 'b1');
  await Promise.resolve();
  expect(passed).toEqual(['a1', 'a2', 'b1']);
  await iteration();
  expect(passed).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  arrive('a6', 'b2');
  await iteration();
  expect(passed.slice(5)).toEqual(['b2', 'a5', 'a6']);
  await iteration();
  await iteration();
  arrive('a7', 'a8', 'a9');
  await Promise.resolve();
  expect(passed.slice(8)).toEqual(['a7', 'a8']);
  await iteration();
  expect(passed.slice(8)).toEqual(['a7', 'a8', 'a9']);
});

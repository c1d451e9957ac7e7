/** The memory of answers: shared fairly, never exceeded, and enough for the oldest to get to its end. */
import { expect, test } from '@jest/globals';
import { createAnswerMemory } from '../../server/domain/invocations/answer-memory.js';

const grows = (answer: { grow: (bytes: number) => boolean }) => {
  let bytes = 0;
  while (answer.grow(1)) bytes += 1;
  return bytes;
};

test('one account leaves as much as it takes, and the oldest answer has a half of its own', () => {
  const memory = createAnswerMemory(200);
  const [oldest, younger] = [memory.open('a', 1), memory.open('a', 1)];
  expect(grows(younger)).toBe(50);
  expect(grows(memory.open('b', 1))).toBe(25);
  expect(grows(oldest)).toBe(100);
});

test('an answer is held until both its run and its response are done with it', () => {
  const memory = createAnswerMemory(200);
  memory.open('another', 1);
  const answer = memory.open('a', 2);
  expect(grows(answer)).toBe(50);
  answer.release();
  expect(grows(memory.open('a', 1))).toBe(0);
  answer.release();
  expect(grows(memory.open('a', 1))).toBe(50);
});

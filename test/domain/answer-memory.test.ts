/** The memory of answers: shared fairly, never exceeded, and enough for one to get to its end. */
import { expect, test } from '@jest/globals';
import { createAnswerMemory } from '../../server/domain/invocations/answer-memory.js';

const grows = (answer: { grow: (bytes: number) => boolean }) => {
  let bytes = 0;
  while (answer.grow(1)) bytes += 1;
  return bytes;
};

/** A clock that a test sets. */
const clock = { ms: 0 };
const now = () => clock.ms;

test('one account leaves as much as it takes, and the first that needs more has a half of its own', () => {
  const memory = createAnswerMemory(200, now);
  // One that waits for its first byte takes nothing from the others.
  memory.open('a', 1);
  const [first, second] = [memory.open('a', 1), memory.open('a', 1)];
  expect(grows(first)).toBe(50 + 100);
  expect(grows(second)).toBe(0);
  expect(grows(memory.open('b', 1))).toBe(25);
  first.release();
  expect(grows(second)).toBe(38);
  clock.ms += 2_000;
  expect(grows(second)).toBe(100);
});

test('an answer is held until both its run and its response are done with it', () => {
  const memory = createAnswerMemory(200, now);
  const answer = memory.open('a', 2);
  expect(grows(answer)).toBe(150);
  answer.release();
  expect(grows(memory.open('a', 1))).toBe(0);
  answer.release();
  clock.ms += 2_000;
  expect(grows(memory.open('a', 1))).toBe(150);
});

test('very long answers follow each other after a pause, in which shorter ones have their room', () => {
  const memory = createAnswerMemory(200, now);
  const long = memory.open('a', 1);
  expect(grows(long)).toBe(150);
  long.release();
  clock.ms += 1_999;
  const next = memory.open('a', 1);
  expect(grows(next)).toBe(50);
  clock.ms += 1;
  expect(grows(next)).toBe(100);
});

test('what is expected is reserved once, and refused at once if it does not fit', () => {
  const memory = createAnswerMemory(100);
  // Has 25 of the shared half, and all of the other.
  grows(memory.open('another', 1));
  const answer = memory.open('a', 1);
  expect(answer.expect(14)).toBe(false);
  expect(answer.expect(13)).toBe(true);
  expect([answer.grow(8), answer.grow(5)]).toEqual([true, true]);
  expect(answer.grow(1)).toBe(false);
  answer.release();
  expect(memory.open('a', 1).expect(13)).toBe(true);
});

test('however much the answers of one account announce, there is room for others', () => {
  const memory = createAnswerMemory(200);
  for (let count = 0; count < 10; count += 1) memory.open('a', 1).expect(1_000);
  expect(grows(memory.open('b', 1))).toBeGreaterThanOrEqual(25);
});

test('what found no room is not asked for again before there is some, but for one now and then', () => {
  clock.ms = 10_000;
  const memory = createAnswerMemory(200, now);
  const isHopeless = (name: string) => {
    const answer = memory.open('a', 1, name);
    const answered = answer.isHopeless();
    answer.release();
    return answered;
  };
  const first = memory.open('a', 1, 'agent');
  expect(first.isHopeless()).toBe(false);
  expect(grows(first)).toBe(50 + 100);
  const second = memory.open('a', 1, 'agent');
  expect(second.expect(40)).toBe(false);
  second.release();
  expect([isHopeless('agent'), isHopeless('agent'), isHopeless('another')]).toEqual([
    true,
    true,
    false,
  ]);
  clock.ms += 1_000;
  const attempt = memory.open('a', 1, 'agent');
  expect(attempt.isHopeless()).toBe(false);
  expect(isHopeless('agent')).toBe(true);
  // What it found was short after all.
  attempt.release();
  expect(isHopeless('agent')).toBe(false);
  expect(memory.open('a', 1, 'agent').expect(40)).toBe(false);
  expect(isHopeless('agent')).toBe(true);
  first.release();
  expect(isHopeless('agent')).toBe(false);
});

test('as much as the last one took is reserved for the next before it begins, and for no more than there is room', () => {
  const memory = createAnswerMemory(20_000_000, now);
  const long = memory.open('a', 1, 'agent');
  expect(long.grow(3_000_000)).toBe(true);
  long.release();
  const begun = () => {
    const answer = memory.open('a', 1, 'agent');
    if (answer.isHopeless()) return undefined;
    answer.expectUsual();
    return answer;
  };
  const answers = [begun(), begun(), begun(), begun(), begun()].filter(Boolean);
  // One in the half that is shared, and as many as fit into the other one, which is for one alone.
  expect(answers).toHaveLength(2);
  // What it announces is not reserved once more.
  expect(answers[0]?.expect(3_000_000)).toBe(true);
  expect(memory.open('b', 1).grow(2_000_000)).toBe(true);
  // The next ones are short, and nothing more is expected of it.
  for (const answer of answers) answer?.release();
  clock.ms += 2_000;
  expect([begun(), begun(), begun()].filter(Boolean)).toHaveLength(3);
});

test('one that took more than a half finds room again, and one of some length is no reason to refuse the next', () => {
  const memory = createAnswerMemory(200, now);
  const isHopeless = (name: string) => memory.open('a', 1, name).isHopeless();
  const longest = memory.open('a', 1, 'long');
  // 50 of the half that is shared, and all of the other.
  expect(grows(longest)).toBe(150);
  longest.release();
  const long = memory.open('a', 1, 'usual');
  expect(long.grow(25)).toBe(true);
  long.release();
  expect(isHopeless('long')).toBe(true);
  clock.ms += 2_000;
  expect([isHopeless('long'), isHopeless('long')]).toEqual([false, false]);
  for (const account of ['b', 'a']) grows(memory.open(account, 1));
  // One may find out, the next may not.
  expect([isHopeless('long'), isHopeless('long')]).toEqual([false, true]);
  expect([isHopeless('usual'), isHopeless('usual')]).toEqual([false, false]);
});

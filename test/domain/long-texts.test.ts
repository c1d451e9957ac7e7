/** Long texts that are read once more: only while there is room for them, and one of an account at a time. */
import { expect, test } from '@jest/globals';
import { createAnswerMemory } from '../../server/domain/invocations/answer-memory.js';
import { createLongTexts } from '../../server/domain/long-texts.js';

const mebibyte = 1024 ** 2;
const characters = 4 * mebibyte;

/** Of two halves of 16 MiB each, one such text takes all that an account can have. */
function readers() {
  const texts = createLongTexts(createAnswerMemory(32 * mebibyte));
  const read = (accountId: string, content: () => Promise<string>) => {
    const closing: (() => void)[] = [];
    const onClose = (listener: () => void) => void closing.push(listener);
    return {
      text: texts.read({ accountId, characters, onClose }, content),
      close: () => {
        for (const listener of closing) listener();
      },
    };
  };
  return { texts, read };
}

test('a text is refused, and not even read, while the response with another one is open', async () => {
  const { read, texts } = readers();
  const first = read('a', () => Promise.resolve('long'));
  await expect(first.text).resolves.toBe('long');
  const second = read('a', () => Promise.reject(new Error('It was read.')));
  await expect(second.text).rejects.toMatchObject({ code: 'unavailable', retryAfter: 2 });
  first.close();
  expect(texts.hold('a', characters / 4)).toBeDefined();
});

test('one that is longer than all the room there is gets it for itself', () => {
  const { texts } = readers();
  expect(texts.hold('a', 100 * characters)).toBeDefined();
  expect(texts.hold('b', characters)).toBeUndefined();
});

test('a reader that fails keeps no room when its response is closed', async () => {
  const { read, texts } = readers();
  const failed = read('a', () => Promise.reject(new Error('no')));
  await expect(failed.text).rejects.toThrow('no');
  failed.close();
  expect(texts.hold('a', characters / 4)).toBeDefined();
});

test('those of an account are worked at one after the other, and those of another one are not kept waiting', async () => {
  const { texts } = readers();
  const order: string[] = [];
  const finish: (() => void)[] = [];
  const first = texts.takeTurn('a', () => {
    order.push('a1');
    return new Promise<void>((resolve) => finish.push(resolve));
  });
  const second = texts.takeTurn('a', () => void order.push('a2'));
  await texts.takeTurn('b', () => void order.push('b1'));
  expect(order).toEqual(['a1', 'b1']);
  for (const done of finish) done();
  await Promise.all([first, second]);
  expect(order).toEqual(['a1', 'b1', 'a2']);
});

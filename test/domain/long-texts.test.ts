/** Long texts that are read once more: only while there is room for them, and one of an account at a time. */
import { expect, test } from '@jest/globals';
import { createAnswerMemory } from '../../server/domain/invocations/answer-memory.js';
import { createLongTexts } from '../../server/domain/long-texts.js';

const mebibyte = 1024 ** 2;
const characters = 4 * mebibyte;

/** Of two halves of 16 MiB each, one such text takes all that an account can have. */
function responses() {
  const texts = createLongTexts(createAnswerMemory(32 * mebibyte));
  const respond = (accountId: string) => {
    const closing: (() => void)[] = [];
    texts.keep({ accountId, characters, onClose: (listener) => void closing.push(listener) });
    return {
      close: () => {
        for (const listener of closing) listener();
      },
    };
  };
  return { texts, respond };
}

test('a text is refused while the response with another one is open', () => {
  const { respond, texts } = responses();
  const first = respond('a');
  expect(() => respond('a')).toThrow(
    expect.objectContaining({ code: 'unavailable', retryAfter: 2 }),
  );
  first.close();
  expect(texts.hold('a', characters / 4)).toBeDefined();
});

test('a short one has room in any case', () => {
  const { respond, texts } = responses();
  respond('a');
  texts.keep({ accountId: 'a', characters: 65_536, onClose: () => undefined });
  expect(texts.hold('a', characters)).toBeUndefined();
});

test('one that is longer than all the room there is gets it for itself', () => {
  const { texts } = responses();
  expect(texts.hold('a', 100 * characters)).toBeDefined();
  expect(texts.hold('b', characters)).toBeUndefined();
});

test('those of an account are worked at one after the other, and those of another one are not kept waiting', async () => {
  const { texts } = responses();
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

test('a text that found no room is refused by its name, until there is some', () => {
  const { respond, texts } = responses();
  const first = respond('a');
  const text = { accountId: 'a', name: 'key', characters, onClose: () => undefined };
  texts.assertHope('a', 'key');
  expect(() => {
    texts.keep(text);
  }).toThrow(expect.objectContaining({ code: 'unavailable' }));
  expect(() => {
    texts.assertHope('a', 'key');
  }).toThrow(expect.objectContaining({ code: 'unavailable', retryAfter: 2 }));
  texts.assertHope('a', 'another');
  first.close();
  // The half of the memory that it had rests for a second.
  expect(texts.hold('a', characters / 4)).toBeDefined();
});

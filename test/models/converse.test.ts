/** Conversations with small fake models that misbehave in every way. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { converse, type ConversationOptions } from '../../server/models/converse.js';
import { type Model, ModelFailure, type Chunk, type Prompt } from '../../server/models/model.js';
import { countNothing } from './conversation.js';
import { echo } from '../../server/models/providers/echo.js';

const prompt = (message: string): Prompt => ({
  instructions: '',
  temperature: 1,
  history: [],
  message,
  context: {},
  agent: { id: 'agent_1', name: 'echo' },
  requestId: 'req_1',
});

async function converseWith(
  model: Model,
  message = 'Hi',
  options: Partial<ConversationOptions> = {},
) {
  const texts: string[] = [];
  const candidate = { name: 'test/model', open: () => model };
  const { tokensUsed: tokens } = await converse([candidate], prompt(message), {
    queueKey: 'one',
    signal: new AbortController().signal,
    deadline: Date.now() + 10_000,
    initialDelayMs: 1,
    countReceived: countNothing,
    onText: (text) => texts.push(text),
    onTokens: () => undefined,
    onRetry: () => undefined,
    onFallback: () => undefined,
    onNextCall: () => undefined,
    ...options,
  });
  return { texts, text: texts.join(''), tokens };
}

const saying = (...pieces: Chunk[]): Model => ({ generate: () => pieces });

describe('the echo', () => {
  test('repeats every message, in at most eight pieces, always the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), async (message) => {
        const once = await converseWith(echo, message);
        expect(once.text).toBe(message);
        expect(once.texts.length).toBeLessThanOrEqual(8);
        expect(await converseWith(echo, message)).toEqual(once);
      }),
    );
  });

  test('streams word by word', async () => {
    const { texts, tokens } = await converseWith(echo, 'Where is it?');
    expect(texts).toEqual(['Where ', 'is ', 'it?']);
    expect(tokens).toBe(6);
  });

  test('handles a hundred thousand spaces', async () => {
    const { text } = await converseWith(echo, ' '.repeat(100_000));
    expect(text).toHaveLength(100_000);
  });
});

describe('the text', () => {
  test('joins surrogate pairs that a model splits', async () => {
    const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)];
    const { texts } = await converseWith(saying({ text: `a${high}` }, { text: `${low}b` }));
    expect(texts).toEqual(['a', '😀b']);
  });

  test('can be stored, whatever the model returns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (words) => {
        const torn = words.join('').split('');
        const { text } = await converseWith(saying(...torn.map((text) => ({ text }))));
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\0');
        expect(text).toBe(words.join('').replaceAll('\0', '\uFFFD').toWellFormed());
      }),
      { numRuns: 25 },
    );
  });

  test('an unpaired surrogate at the end is replaced, not lost', async () => {
    expect((await converseWith(saying({ text: 'a\ud83d' }))).text).toBe('a\uFFFD');
  });

  test('that is longer than the contract allows is a failure', async () => {
    const piece = { text: 'x'.repeat(1_000_000) };
    const talking = converseWith(saying(piece, piece, piece, piece, { text: 'x' }));
    await expect(talking).rejects.toThrow('the response is longer than 262144 characters');
  });

  test.each([
    [NaN, 0],
    [-5, 0],
    [7.6, 8],
    [1e12, 2_147_483_647],
  ])('a count of %d tokens becomes %d', async (reported, counted) => {
    expect((await converseWith(saying({ tokensUsed: reported }))).tokens).toBe(counted);
  });
});

describe('the tokens', () => {
  const failing = (...pieces: Chunk[]): Model => ({
    *generate() {
      yield* pieces;
      throw new ModelFailure('it broke', { retryable: true });
    },
  });

  test('of failed attempts are added to those of the successful one', async () => {
    const attempts = [failing({ tokensUsed: 3 }, { tokensUsed: 5 }), saying({ tokensUsed: 7 })];
    const model: Model = {
      generate: (...call) => (attempts.shift() ?? echo).generate(...call),
    };
    expect((await converseWith(model)).tokens).toBe(12);
  });

  test('are known for a failed conversation only if the model reported them', async () => {
    const known: number[] = [];
    const onTokens = (tokens: number) => known.push(tokens);
    await expect(converseWith(failing(), 'Hi', { onTokens })).rejects.toThrow('it broke');
    expect(known).toEqual([]);
    const told = converseWith(failing({ tokensUsed: 5 }), 'Hi', { onTokens });
    await expect(told).rejects.toThrow('it broke');
    expect(known).toEqual([5, 10, 15]);
  });
});

describe('a model that ignores its abort signal', () => {
  test('is abandoned at the timeout', async () => {
    const controller = new AbortController();
    const deaf: Model = {
      generate: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
      }),
    };
    const talking = converseWith(deaf, 'Hi', { signal: controller.signal });
    const reason = new Error('time is over');
    controller.abort(reason);
    await expect(talking).rejects.toBe(reason);
  });
});

describe('a pause before a retry', () => {
  test('ends with the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('time is over');
    const busy: Model = {
      generate: () => {
        throw new ModelFailure('busy', { retryable: true, retryAfterMs: 8_000 });
      },
    };
    const talking = converseWith(busy, 'Hi', {
      signal: controller.signal,
      onRetry: () => {
        controller.abort(reason);
      },
    });
    await expect(talking).rejects.toBe(reason);
  });

  test('gets longer, and is randomised', async () => {
    const pauses: number[][] = [];
    for (let round = 0; round < 20; round += 1) {
      const waits: number[] = [];
      const failing: Model = {
        generate: () => {
          throw new ModelFailure('failed', { retryable: true });
        },
      };
      await converseWith(failing, 'Hi', {
        initialDelayMs: 20,
        onRetry: ({ waitMs }) => waits.push(waitMs),
      }).catch(() => undefined);
      pauses.push(waits);
    }
    for (const [first = 0, second = 0] of pauses) {
      expect(first).toBeGreaterThanOrEqual(10);
      expect(first).toBeLessThanOrEqual(20);
      expect(second).toBeGreaterThanOrEqual(20);
      expect(second).toBeLessThanOrEqual(40);
    }
    expect(new Set(pauses.map(([first]) => first)).size).toBeGreaterThan(1);
  });
});

describe('an internal error', () => {
  test('is not reported as a failure of the model', async () => {
    let calls = 0;
    const broken: Model = {
      generate: () => {
        calls += 1;
        throw new TypeError('a mistake of ours');
      },
    };
    await expect(converseWith(broken)).rejects.toThrow(TypeError);
    expect(calls).toBe(1);
  });
});

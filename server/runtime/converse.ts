/** Has a model answer: retries what may succeed in a moment, and never waits longer than it was told to. */
import { setTimeout as delay } from 'node:timers/promises';
import { orAborted, reasonOf } from '../lib/abort.js';
import { type Model, ModelFailure, type Piece, type Prompt } from './model.js';
import { createTextRepair } from './text-repair.js';

export interface Retry {
  /** 1 for the first retry. */
  retry: number;
  waitMs: number;
  failure: ModelFailure;
}

export interface ConversationOptions {
  signal: AbortSignal;
  /** Milliseconds since the epoch after which nobody waits for the answer any more. */
  deadline: number;
  onText: (text: string) => void;
  onRetry: (retry: Retry) => void;
  /** For tests: how long the first pause is at most. */
  firstPauseMs?: number;
}

export const maxRetries = 2;

/** What the contract lets an answer have. */
const maxAnswerLength = 4_000_000;
const maxTokens = 2_147_483_647;

/** Returns the tokens that it took. Throws a ModelFailure, or the signal's reason. */
export async function converse(
  openModel: () => Promise<Model>,
  prompt: Prompt,
  options: ConversationOptions,
): Promise<number> {
  const { signal, onRetry } = options;
  for (let retry = 1; ; retry += 1) {
    const attempt = { hasSpoken: false };
    try {
      return await converseOnce(await openModel(), prompt, options, attempt);
    } catch (fault) {
      if (signal.aborted) throw reasonOf(signal);
      const failure = asFailure(fault);
      const waitMs = pauseBefore(retry, failure, options);
      // What the client has heard cannot be taken back, so a second answer would only confuse it.
      const isWorthIt = failure.retryable && !attempt.hasSpoken && retry <= maxRetries;
      if (!isWorthIt || Date.now() + waitMs >= options.deadline) throw failure;
      onRetry({ retry, waitMs, failure });
      await delay(waitMs, undefined, { signal }).catch(() => {
        throw reasonOf(signal);
      });
    }
  }
}

async function converseOnce(
  model: Model,
  prompt: Prompt,
  { signal, onText }: ConversationOptions,
  attempt: { hasSpoken: boolean },
): Promise<number> {
  const repair = createTextRepair();
  let tokensUsed = 0;
  let length = 0;
  const pass = (text: string) => {
    if (text === '') return;
    length += text.length;
    if (length > maxAnswerLength) {
      throw new ModelFailure(`the answer is longer than ${maxAnswerLength} characters`, {
        retryable: false,
      });
    }
    attempt.hasSpoken = true;
    onText(text);
  };
  const take = (piece: Piece) => {
    if ('text' in piece) pass(repair.push(piece.text));
    else tokensUsed = tokenCount(piece.tokensUsed);
  };
  const pieces = model.generate(prompt, signal);
  if (Symbol.asyncIterator in pieces) {
    for await (const piece of untilAborted(pieces, signal)) take(piece);
  } else {
    for (const piece of pieces) take(piece);
  }
  pass(repair.end());
  return tokensUsed;
}

function tokenCount(reported: number): number {
  return Number.isFinite(reported) ? Math.min(maxTokens, Math.max(0, Math.round(reported))) : 0;
}

/** Ends with the signal even if the model does not care for it. */
function untilAborted(pieces: AsyncIterable<Piece>, signal: AbortSignal): AsyncIterable<Piece> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: () => orAborted(iterator.next(), signal),
        return: () => {
          // Not waited for: a model that hangs would hang here too.
          void iterator.return?.().catch(() => undefined);
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

function asFailure(fault: unknown): ModelFailure {
  if (fault instanceof ModelFailure) return fault;
  throw fault;
}

const longestPauseMs = 20_000;

/** Twice as long each time, and between half and all of it, so that callers who failed together do not return together. */
function pauseBefore(
  retry: number,
  { retryAfterMs }: ModelFailure,
  { firstPauseMs = 500 }: ConversationOptions,
): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (retry - 1));
  const jittered = pause * (0.5 + Math.random() / 2);
  return Math.round(Math.max(jittered, retryAfterMs ?? 0));
}

/** Calls a model for one response: retries transient failures with exponential backoff, never past the deadline. */
import { setTimeout as delay } from 'node:timers/promises';
import { constraints } from '../../generated/constraints.js';
import { orAborted, reasonOf } from '../lib/abort.js';
import { type Chunk, type Model, ModelFailure, type Prompt, type ReceivedMeter } from './model.js';
import { createTextSanitizer } from './text-sanitizer.js';

export interface Retry {
  /** 1 for the first retry. */
  retry: number;
  waitMs: number;
  failure: ModelFailure;
}

export interface ConversationOptions {
  signal: AbortSignal;
  /** Milliseconds since the epoch; no retry starts after it. */
  deadline: number;
  meter: ReceivedMeter;
  /** Awaited before each attempt; what it throws ends the conversation. */
  beforeCall?: (() => Promise<void>) | undefined;
  onText: (text: string) => void;
  /** What all attempts have used together, as far as the model has told; also of those that fail. */
  onTokens: (tokensUsed: number) => void;
  onRetry: (retry: Retry) => void;
  /** A provider that asks to wait longer is not waited for: whoever called can do that better. */
  maxRetryAfterMs?: number;
  /** Upper bound of the delay before the first retry; tests shorten it. */
  initialDelayMs?: number;
}

export const maxRetries = 2;
const maxRetryAfterMs = 10_000;

const maxResponseLength = constraints.Invocation.properties.response.maxLength;

interface Attempt {
  hasOutput: boolean;
  tokensUsed: number;
}

/** Returns the number of tokens that all attempts used. Throws a ModelFailure, or the signal's reason. */
export async function converse(
  openModel: () => Promise<Model>,
  prompt: Prompt,
  options: ConversationOptions,
): Promise<number> {
  const { signal, onRetry } = options;
  let earlier = 0;
  const onTokens = (tokensUsed: number) => {
    options.onTokens(tokenCount(earlier + tokensUsed));
  };
  for (let retry = 1; ; retry += 1) {
    const attempt: Attempt = { hasOutput: false, tokensUsed: 0 };
    await options.beforeCall?.();
    try {
      await converseOnce(await openModel(), prompt, { ...options, onTokens }, attempt);
      return tokenCount(earlier + attempt.tokensUsed);
    } catch (error) {
      earlier += attempt.tokensUsed;
      if (signal.aborted) throw reasonOf(signal);
      if (!(error instanceof ModelFailure)) throw error;
      const waitMs = retryDelayMs(retry, error, options);
      // Text that was sent to the client cannot be taken back, so a second response would be appended to it.
      const isSoon = (error.retryAfterMs ?? 0) <= (options.maxRetryAfterMs ?? maxRetryAfterMs);
      const shouldRetry = error.retryable && isSoon && !attempt.hasOutput && retry <= maxRetries;
      if (!shouldRetry || Date.now() + waitMs >= options.deadline) throw error;
      onRetry({ retry, waitMs, failure: error });
      await delay(waitMs, undefined, { signal }).catch(() => {
        throw reasonOf(signal);
      });
    }
  }
}

async function converseOnce(
  model: Model,
  prompt: Prompt,
  { signal, meter, onText, onTokens }: ConversationOptions,
  attempt: Attempt,
): Promise<void> {
  const sanitizer = createTextSanitizer();
  let length = 0;
  const emit = (text: string) => {
    if (text === '') return;
    length += text.length;
    if (length > maxResponseLength) {
      throw new ModelFailure(`the response is longer than ${maxResponseLength} characters`, {
        retryable: false,
      });
    }
    attempt.hasOutput = true;
    onText(text);
  };
  const handle = (chunk: Chunk) => {
    if ('text' in chunk) emit(sanitizer.push(chunk.text));
    else onTokens((attempt.tokensUsed = tokenCount(chunk.tokensUsed)));
  };
  const chunks = model.generate(prompt, signal, meter);
  if (Symbol.asyncIterator in chunks) {
    for await (const chunk of untilAborted(chunks, signal)) handle(chunk);
  } else {
    for (const chunk of chunks) handle(chunk);
  }
  emit(sanitizer.end());
}

function tokenCount(reported: number): number {
  if (!Number.isFinite(reported)) return 0;
  return Math.min(constraints.TokenCount.maximum, Math.max(0, Math.round(reported)));
}

/** Rejects when the signal aborts, even if the model ignores the signal. */
function untilAborted(chunks: AsyncIterable<Chunk>, signal: AbortSignal): AsyncIterable<Chunk> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = chunks[Symbol.asyncIterator]();
      return {
        next: () => orAborted(iterator.next(), signal),
        return: () => {
          // Not awaited: a model that hangs would block here too.
          void iterator.return?.().catch(() => undefined);
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

const maxDelayMs = 20_000;

/** Exponential backoff with jitter, and at least as long as the provider's Retry-After. */
function retryDelayMs(
  retry: number,
  { retryAfterMs }: ModelFailure,
  { initialDelayMs = 500 }: ConversationOptions,
): number {
  const backoff = Math.min(maxDelayMs, initialDelayMs * 2 ** (retry - 1));
  const jittered = backoff * (0.5 + Math.random() / 2);
  return Math.round(Math.max(jittered, retryAfterMs ?? 0));
}

/**
 * Calls a model once, for text or tool calls. A call that fails before its first text is repeated: with the next model
 * if there is a fallback, otherwise with exponential backoff, but never past the deadline.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { constraints } from '../../generated/constraints.js';
import { abortReason } from '../lib/async/abort.js';
import {
  type CalledProvider,
  type InvocationScope,
  type ModelCallOutcome,
  type ModelUsage,
  noopInvocation,
} from '../observability/telemetry.js';
import {
  type CallEnd,
  type Model,
  ModelFailure,
  parseModelName,
  type Prompt,
  type CountReceived,
} from './model.js';
import { readChunks } from './read-chunks.js';

/** A model that may be called: the agent's own or a fallback. */
export interface ModelCandidate {
  /** `provider/name`. */
  name: string;
  /** Throws a ModelFailure if the model cannot be used. */
  open: () => Promise<Model>;
}

export interface Retry {
  /** 1 for the first retry. */
  retry: number;
  waitMs: number;
  failure: ModelFailure;
}

export interface Fallback {
  from: string;
  to: string;
  failure: ModelFailure;
}

export interface ModelCallOptions {
  signal: AbortSignal;
  /** Milliseconds since the epoch; no retry starts after it. */
  deadline: number;
  countReceived: CountReceived;
  scope?: Pick<InvocationScope, 'modelCall' | 'modelRetried'>;
  /** Awaited before each model call. An error ends the conversation. */
  beforeCall?: (() => Promise<void>) | undefined;
  /** Receives the sum over all calls: as the models report it, with an estimate for calls that were cut off before the report. */
  onTokens: (tokensUsed: number) => void;
  onRetry: (retry: Retry) => void;
  onFallback: (fallback: Fallback) => void;
  /** If a provider asks for a longer delay, the call fails instead of waiting, so that the caller can decide. */
  maxRetryAfterMs?: number;
  /** Upper bound of the delay before the first retry; tests shorten it. */
  initialDelayMs?: number;
}

export const maxRetries = 2;
const maxRetryAfterMs = 10_000;

interface ModelCaller {
  /** Throws a ModelFailure, or the signal's reason. Text that was passed to `onText` is never retracted. */
  call: (prompt: Prompt, onText: (text: string) => void) => Promise<CallEnd>;
  tokensUsed: () => number;
  /** The name of the model that was called last. */
  model: () => string;
}

interface Attempt {
  hasOutput: boolean;
  provider: CalledProvider;
  usage: ModelUsage;
  hasUsage: boolean;
  /** Whether the next text belongs to the event whose usage was just reported. */
  isNextReported: boolean;
  /** The length of the text since the last usage report. */
  unreportedBytes: number;
  end: CallEnd;
}

/** Once a model has failed, the next fallback serves the rest of the conversation. */
export function createModelCaller(
  candidates: readonly [ModelCandidate, ...ModelCandidate[]],
  options: ModelCallOptions,
): ModelCaller {
  const { signal, deadline, beforeCall, onRetry, onFallback, scope = noopInvocation } = options;
  let [current, ...fallbacks] = candidates;
  let earlierTokens = 0;

  const attemptOnce = async (
    prompt: Prompt,
    onText: (text: string) => void,
    attempt: Attempt,
  ): Promise<void> => {
    const limit = limitFirstOutput(signal, timeForFirstOutput(deadline, fallbacks.length));
    const call = scope.modelCall({ model: current.name, prompt });
    let outcome: ModelCallOutcome = 'succeeded';
    try {
      const model = await current.open();
      attempt.provider.server = model.server;
      const traced = { ...prompt, traceHeaders: () => call.headers };
      await readChunks(model.generate(traced, limit.signal, options.countReceived), limit.signal, {
        onStatus: (status) => {
          attempt.provider.status = status;
        },
        onText: (text) => {
          limit.clear();
          attempt.hasOutput = true;
          if (!attempt.isNextReported) attempt.unreportedBytes += Buffer.byteLength(text);
          attempt.isNextReported = false;
          call.text?.(text);
          onText(text);
        },
        onUsage: (usage) => {
          attempt.usage = { ...usage, tokensUsed: tokenCount(usage.tokensUsed) };
          attempt.hasUsage = true;
          attempt.isNextReported = true;
          attempt.unreportedBytes = 0;
          options.onTokens(tokenCount(earlierTokens + attempt.usage.tokensUsed));
        },
        onEnd: (end) => {
          attempt.end = end;
        },
      });
    } catch (error) {
      outcome = outcomeOf(error, signal);
      if (error instanceof ModelFailure) {
        attempt.provider.status ??= error.status;
        if (isEndpoint(current.name)) error.upstream = 'endpoint';
      }
      // A call that the provider rejected used no tokens. One that was cut off did, and would not count without an estimate.
      if (limit.signal.aborted || attempt.hasOutput) {
        attempt.usage.tokensUsed += estimateUnreported(prompt, attempt);
        options.onTokens(tokenCount(earlierTokens + attempt.usage.tokensUsed));
      }
      throw error;
    } finally {
      limit.clear();
      call.end(outcome, attempt.usage, attempt.provider);
      earlierTokens = tokenCount(earlierTokens + attempt.usage.tokensUsed);
    }
  };

  return {
    tokensUsed: () => earlierTokens,
    model: () => current.name,
    async call(prompt, onText) {
      for (let retry = 1; ;) {
        await beforeCall?.();
        signal.throwIfAborted();
        const attempt: Attempt = {
          hasOutput: false,
          provider: {},
          usage: { tokensUsed: 0 },
          hasUsage: false,
          isNextReported: false,
          unreportedBytes: 0,
          end: undefined,
        };
        try {
          await attemptOnce(prompt, onText, attempt);
          return attempt.end;
        } catch (error) {
          if (signal.aborted) throw abortReason(signal);
          // Text that was sent to the client cannot be taken back, so a second response would be appended to it.
          if (!(error instanceof ModelFailure) || attempt.hasOutput) throw error;
          const [next, ...rest] = fallbacks;
          if (next) {
            scope.modelRetried('fallback');
            onFallback({ from: current.name, to: next.name, failure: error });
            [current, fallbacks] = [next, rest];
            continue;
          }
          const waitMs = retryDelayMs(retry, error, options);
          const isSoon = (error.retryAfterMs ?? 0) <= (options.maxRetryAfterMs ?? maxRetryAfterMs);
          const shouldRetry = error.retryable && isSoon && retry <= maxRetries;
          if (!shouldRetry || Date.now() + waitMs >= deadline) {
            error.wasRetried = retry > 1;
            throw error;
          }
          scope.modelRetried('retry');
          onRetry({ retry, waitMs, failure: error });
          retry += 1;
          await delay(waitMs, undefined, { signal }).catch(() => {
            throw abortReason(signal);
          });
        }
      }
    },
  };
}

function isEndpoint(model: string): boolean {
  return parseModelName(model).provider === 'http';
}

function outcomeOf(error: unknown, signal: AbortSignal): ModelCallOutcome {
  if (signal.aborted) return 'interrupted';
  return error instanceof ModelFailure && error.rateLimited ? 'rate_limited' : 'failed';
}

/** English text has about four UTF-8 bytes per token, other scripts have fewer. */
const bytesPerToken = 4;

/** Estimates the unreported tokens of a call that was cut off: its text since the last report, and the prompt if there was none. */
function estimateUnreported(prompt: Prompt, { hasUsage, unreportedBytes }: Attempt): number {
  const { instructions, history, message, tools, steps, outputSchema } = prompt;
  const sent = [instructions, history, message, tools, steps, outputSchema];
  const promptBytes = hasUsage ? 0 : Buffer.byteLength(JSON.stringify(sent));
  return Math.ceil((promptBytes + unreportedBytes) / bytesPerToken);
}

function tokenCount(reported: number): number {
  if (!Number.isFinite(reported)) return 0;
  return Math.min(constraints.TokenCount.maximum, Math.max(0, Math.round(reported)));
}

/** Divides the remaining time evenly among the models that may still be called, so that one that hangs leaves time for the others. */
function timeForFirstOutput(deadline: number, fallbacks: number): number {
  return fallbacks === 0 ? Infinity : Math.max(1, (deadline - Date.now()) / (fallbacks + 1));
}

function limitFirstOutput(
  outer: AbortSignal,
  limitMs: number,
): { signal: AbortSignal; clear: () => void } {
  if (limitMs === Infinity) return { signal: outer, clear: () => undefined };
  const controller = new AbortController();
  const timer = setTimeout(() => {
    const waited = `no text within ${Math.round(limitMs)} ms, its share of the agent's timeout`;
    controller.abort(new ModelFailure(waited, { retryable: true }));
  }, limitMs);
  const clear = () => {
    clearTimeout(timer);
  };
  return { signal: AbortSignal.any([outer, controller.signal]), clear };
}

const maxDelayMs = 20_000;

/** Exponential backoff with jitter, and at least as long as the provider's Retry-After. */
function retryDelayMs(
  retry: number,
  { retryAfterMs }: ModelFailure,
  { initialDelayMs = 500 }: ModelCallOptions,
): number {
  const backoff = Math.min(maxDelayMs, initialDelayMs * 2 ** (retry - 1));
  const jittered = backoff * (0.5 + Math.random() / 2);
  return Math.round(Math.max(jittered, retryAfterMs ?? 0));
}

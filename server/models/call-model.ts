/**
 * Calls a model once, for text or tool calls. A call that fails before its first text is repeated: with the next model
 * if there is a fallback, otherwise with exponential backoff, but never past the deadline.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { abortReason } from '../lib/async/abort.js';
import {
  type CalledProvider,
  type ModelCallOutcome,
  type ModelUsage,
  type ConversationObserver,
  noopObserver,
} from './observer.js';
import {
  type CallEnd,
  type Model,
  ModelFailure,
  parseModelName,
  type Prompt,
  type CountReceived,
  type TokenUsage,
} from './model.js';
import { estimateTokens, tokensOfBytes } from './estimate-tokens.js';
import { type ProviderLimiter, type SentCall, withJitter } from './provider-limiter.js';
import { readChunks } from './read-chunks.js';
import { addUsage, tokenCount, type Tokens } from './token-usage.js';

/** A model that may be called: the agent's own or a fallback. */
export interface ModelCandidate {
  /** `provider/name`. */
  name: string;
  /** Throws a ModelFailure if the model cannot be used. */
  open: () => Model;
  /** Undefined if its calls are not limited. */
  limiter?: ProviderLimiter | undefined;
}

export interface Retry {
  /** 1 for the first retry. */
  retry: number;
  /** How many there may be; undefined if only the deadline ends them. */
  of: number | undefined;
  waitMs: number;
  failure: ModelFailure;
}

export interface Fallback {
  from: string;
  to: string;
  failure: ModelFailure;
}

export interface ModelCallOptions {
  /** Those who share what is scarce get it in turn: calls with the same key wait in one line, and the lines take turns. */
  queueKey: string;
  signal: AbortSignal;
  /** Milliseconds since the epoch; no retry starts after it. */
  deadline: number;
  countReceived: CountReceived;
  scope?: Pick<ConversationObserver, 'modelCall' | 'modelRetried'>;
  /** Awaited before each model call. An error ends the conversation. */
  beforeCall?: (() => Promise<void>) | undefined;
  /** Receives the sum over all calls: as the models report it, with an estimate for calls that were cut off before the report. */
  onTokens: (tokensUsed: number) => void;
  /** Receives the sum over all calls by kind, as far as the models report it, after each call. */
  onUsage?: (usage: TokenUsage) => void;
  /** Receives an estimate of the tokens of a complete answer whose model reports none. */
  onUnreportedTokens?: ((estimate: number) => void) | undefined;
  /** Called when a provider does not take a setting of the agent as it is. */
  onSettingChanged?: ((change: { model: string; changed: string }) => void) | undefined;
  onRetry: (retry: Retry) => void;
  onFallback: (fallback: Fallback) => void;
  /**
   * Whether a provider's rate limit is waited for until the deadline. Otherwise the call fails after two retries, or when the
   * provider asks for a long delay, so that the caller can decide.
   */
  isPatient?: boolean;
  /** What the conversation has used in a process before. */
  earlier?: Tokens | undefined;
  /** Upper bound of the delay before the first retry after a failure other than a rate limit; tests shorten it. */
  initialDelayMs?: number;
}

export const maxRetries = 2;
/** The longest delay that a provider may ask for while a caller waits. */
const maxRetryAfterMs = 10_000;
const maxJitteredPauseMs = 1.2 * maxRetryAfterMs;

export interface ModelCaller {
  /** Throws a ModelFailure, or the signal's reason. Text that was passed to `onText` is never retracted. */
  call: (prompt: Prompt, onText: (text: string) => void) => Promise<CallEnd>;
  /** Continues with the next fallback because of this failure. Returns false if there is none. */
  fallBack: (failure: ModelFailure) => boolean;
  tokensUsed: () => number;
  /** By kind, as far as the models report it. */
  usage: () => TokenUsage;
  /** The name of the model that was called last. */
  model: () => string;
}

interface Attempt {
  /** Undefined before the call is sent, and if its model has no limiter. */
  sent: SentCall | undefined;
  isSent: boolean;
  hasOutput: boolean;
  provider: CalledProvider;
  usage: ModelUsage;
  hasUsage: boolean;
  /** Whether the next text belongs to the event whose usage was just reported. */
  isNextReported: boolean;
  /** The length of the text since the last usage report. */
  unreportedBytes: number;
  /** All of the text in bytes. */
  bytes: number;
  end: CallEnd;
}

const answered: CallEnd = { ended: 'stop', toolCalls: [], reply: [], withheldCalls: 0 };

/** Once a model has failed, the next fallback serves the rest of the conversation. */
export function createModelCaller(
  candidates: readonly [ModelCandidate, ...ModelCandidate[]],
  options: ModelCallOptions,
): ModelCaller {
  const { queueKey, signal, deadline, isPatient = false } = options;
  const { beforeCall, onRetry, onFallback, scope = noopObserver } = options;
  let [current, ...fallbacks] = candidates;
  let earlierTokens = options.earlier?.tokensUsed ?? 0;
  const usageByKind: TokenUsage = { ...options.earlier?.usage };

  const attemptOnce = async (
    prompt: Prompt,
    onText: (text: string) => void,
    attempt: Attempt,
  ): Promise<void> => {
    const limit = limitFirstOutput(signal, timeForFirstOutput(deadline, fallbacks.length));
    const call = scope.modelCall({ model: current.name, prompt });
    let outcome: ModelCallOutcome = 'succeeded';
    try {
      const model = current.open();
      attempt.provider.server = model.server;
      const traced = { ...prompt, traceHeaders: () => call.headers };
      await readChunks(model.generate(traced, limit.signal, options.countReceived), limit.signal, {
        onAccepted: () => {
          attempt.sent?.accepted();
        },
        onStatus: (status) => {
          attempt.provider.status = status;
        },
        onText: (text) => {
          limit.clear();
          attempt.hasOutput = true;
          attempt.bytes += Buffer.byteLength(text);
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
        onChanged: (changed) => {
          options.onSettingChanged?.({ model: current.name, changed });
        },
        onEnd: (end) => {
          attempt.end = end;
        },
      });
      // Some servers report zeros.
      if (attempt.usage.tokensUsed === 0) {
        options.onUnreportedTokens?.(tokensOfPrompt(prompt) + tokensOfBytes(attempt.bytes));
      }
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
      addUsage(usageByKind, attempt.usage);
      options.onUsage?.({ ...usageByKind });
    }
  };

  const fallBack = (failure: ModelFailure) => {
    const [next, ...rest] = fallbacks;
    if (!next) return false;
    scope.modelRetried('fallback');
    onFallback({ from: current.name, to: next.name, failure });
    [current, fallbacks] = [next, rest];
    return true;
  };

  /** Waits for its turn if the provider limits its rate. */
  const attemptInTurn = async (
    prompt: Prompt,
    onText: (text: string) => void,
    attempt: Attempt,
    isRepeat: boolean,
  ): Promise<void> => {
    // A fallback takes over at once instead.
    const maxPauseMs = fallbacks.length > 0 ? 0 : isPatient ? Infinity : maxJitteredPauseMs;
    const call = { queueKey, signal, deadline, maxPauseMs, isRepeat };
    const sent = await current.limiter?.enter(call);
    attempt.isSent = true;
    attempt.sent = sent;
    try {
      await beforeCall?.();
      signal.throwIfAborted();
      await attemptOnce(prompt, onText, attempt);
    } catch (error) {
      if (error instanceof ModelFailure && error.rateLimited) sent?.rejected(error.retryAfterMs);
      throw error;
    } finally {
      sent?.end();
    }
  };

  return {
    fallBack,
    tokensUsed: () => earlierTokens,
    usage: () => usageByKind,
    model: () => current.name,
    async call(prompt, onText) {
      const retries = { afterFault: 0, afterRateLimit: 0 };
      let isRepeat = false;
      for (;;) {
        signal.throwIfAborted();
        const attempt: Attempt = {
          sent: undefined,
          isSent: false,
          hasOutput: false,
          provider: {},
          usage: { tokensUsed: 0 },
          hasUsage: false,
          isNextReported: false,
          unreportedBytes: 0,
          bytes: 0,
          end: answered,
        };
        try {
          await attemptInTurn(prompt, onText, attempt, isRepeat);
          return attempt.end;
        } catch (error) {
          if (signal.aborted) throw abortReason(signal);
          // Text that was sent to the client cannot be taken back, so a second response would be appended to it.
          if (!(error instanceof ModelFailure) || attempt.hasOutput) throw error;
          // A shorter prompt is tried before another model.
          if (error.kind === 'context_length') throw error;
          if (fallBack(error)) {
            isRepeat = false;
            continue;
          }
          const isUnlimited = isPatient && error.rateLimited;
          const retry = (retries[isUnlimited ? 'afterRateLimit' : 'afterFault'] += 1);
          // The limiter holds back all calls for its pause, and lets this one go on in its turn.
          const limiter = error.rateLimited ? current.limiter : undefined;
          const waitMs = Math.round(limiter?.pauseMs() ?? retryDelayMs(retry, error, options));
          const isSoon = isPatient || (error.retryAfterMs ?? 0) <= maxRetryAfterMs;
          const isInTime = Date.now() + Math.max(waitMs, error.retryAfterMs ?? 0) < deadline;
          const mayRetry = (isUnlimited || retry <= maxRetries) && isSoon && isInTime;
          if (!attempt.isSent || !error.retryable || !mayRetry) {
            error.wasRetried = retry > 1;
            throw error;
          }
          scope.modelRetried('retry');
          onRetry({ retry, of: isUnlimited ? undefined : maxRetries, waitMs, failure: error });
          isRepeat = true;
          if (limiter) continue;
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

/** Estimates the unreported tokens of a call that was cut off: its text since the last report, and the prompt if there was none. */
function estimateUnreported(prompt: Prompt, { hasUsage, unreportedBytes }: Attempt): number {
  return (hasUsage ? 0 : tokensOfPrompt(prompt)) + tokensOfBytes(unreportedBytes);
}

function tokensOfPrompt(prompt: Prompt): number {
  const { instructions, summary, history, message, tools, steps, outputSchema } = prompt;
  return estimateTokens([instructions, summary, history, message, tools, steps, outputSchema]);
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

/** Exponential backoff with jitter, and at least as long as the provider's Retry-After, also with jitter. */
function retryDelayMs(
  retry: number,
  { retryAfterMs }: ModelFailure,
  { initialDelayMs = 500 }: ModelCallOptions,
): number {
  const backoff = Math.min(maxDelayMs, initialDelayMs * 2 ** (retry - 1));
  const jittered = backoff * (0.5 + Math.random() / 2);
  return Math.round(Math.max(jittered, withJitter(retryAfterMs ?? 0)));
}

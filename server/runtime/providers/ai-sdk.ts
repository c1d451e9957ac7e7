/** Makes a model of this service out of a language model of the AI SDK. */
import {
  APICallError,
  type JSONValue,
  type LanguageModel,
  type ModelMessage,
  streamText,
} from 'ai';
import { errorCode } from '../../lib/error-code.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import {
  failureOfStatus,
  type Model,
  ModelFailure,
  type Piece,
  type Prompt,
  type Message,
} from '../model.js';

// Its warnings would go to standard output, between the lines of our log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type ProviderOptions = Record<string, Record<string, JSONValue>>;

export function languageModel(model: LanguageModel, providerOptions: ProviderOptions = {}): Model {
  return { generate: (prompt, signal) => stream(model, providerOptions, prompt, signal) };
}

async function* stream(
  model: LanguageModel,
  providerOptions: ProviderOptions,
  { instructions, temperature, history, message }: Prompt,
  abortSignal: AbortSignal,
): AsyncGenerator<Piece> {
  const { fullStream } = streamText({
    model,
    ...(instructions === '' ? {} : { system: instructions }),
    // Providers refuse messages with nothing in them.
    messages: [...history.filter(({ content }) => content !== ''), said(message)].map(toMessage),
    temperature,
    providerOptions,
    abortSignal,
    // Retries are ours: they must stop at the first text that was passed on, and they are logged.
    maxRetries: 0,
    onError: () => undefined,
  });
  try {
    for await (const part of fullStream) {
      if (part.type === 'text-delta') {
        yield { text: part.text };
      } else if (part.type === 'error') {
        throw explain(part.error);
      } else if (part.type === 'finish') {
        demandRealEnd(part);
        yield { tokensUsed: part.totalUsage.totalTokens ?? 0 };
      }
    }
  } catch (fault) {
    throw explain(fault);
  }
}

function said(message: string): Message {
  return { role: 'user', content: message };
}

function toMessage({ role, content }: Message): ModelMessage {
  return { role: role === 'agent' ? 'assistant' : 'user', content };
}

/** A connection that is closed in the middle of an answer looks like an end, but names no reason for it. */
function demandRealEnd(end: { finishReason: string; rawFinishReason: string | undefined }): void {
  const { finishReason, rawFinishReason } = end;
  if (finishReason === 'error' || (finishReason === 'other' && rawFinishReason === undefined)) {
    throw new ModelFailure("the provider's answer broke off", { retryable: true });
  }
}

function explain(fault: unknown): ModelFailure {
  if (fault instanceof ModelFailure) return fault;
  if (APICallError.isInstance(fault)) {
    const { statusCode = 0, responseHeaders = {} } = fault;
    if (statusCode >= 400) return failureOfStatus(statusCode, retryAfterMs(responseHeaders));
  }
  // Nothing of what the provider sent is repeated: it may hold parts of a key.
  const code = networkCode(fault);
  return new ModelFailure(
    code === undefined
      ? "the provider's answer broke off or is not valid"
      : `the connection to the provider failed (${code})`,
    { retryable: true },
  );
}

/** Libraries wrap what the network reports, one in the other. */
function networkCode(fault: unknown): string | undefined {
  const code = errorCode(fault);
  const isWrapper = typeof fault === 'object' && fault !== null && 'cause' in fault;
  return code === undefined && isWrapper ? networkCode(fault.cause) : code;
}

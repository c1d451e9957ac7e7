/** Adapts a language model of the AI SDK to the service's model interface. */
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
  type Chunk,
  type Prompt,
  type Message,
} from '../model.js';
import { providerWords } from '../provider-words.js';
import { createUsageReader } from './reported-usage.js';

// The SDK would write its warnings to standard output, between the lines of the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type ProviderOptions = Record<string, Record<string, JSONValue>>;

export interface LanguageModelOptions {
  /** What calls are authenticated with; undefined if with nothing. */
  apiKey: string | undefined;
  providerOptions?: ProviderOptions;
}

export function languageModel(model: LanguageModel, options: LanguageModelOptions): Model {
  return { generate: (prompt, signal) => stream(model, options, prompt, signal) };
}

async function* stream(
  model: LanguageModel,
  { apiKey, providerOptions = {} }: LanguageModelOptions,
  { instructions, temperature, history, message }: Prompt,
  abortSignal: AbortSignal,
): AsyncGenerator<Chunk> {
  const { fullStream } = streamText({
    model,
    ...(instructions === '' ? {} : { system: instructions }),
    // Providers reject empty messages.
    messages: [...history.filter(({ content }) => content !== ''), userMessage(message)].map(
      toModelMessage,
    ),
    temperature,
    providerOptions,
    abortSignal,
    // converse() retries: only until the first text was sent, and with an entry in the agent's log.
    maxRetries: 0,
    onError: () => undefined,
    // The SDK tells what was used at the end only, which a response that is cut off never reaches.
    includeRawChunks: true,
  });
  const readUsage = createUsageReader();
  try {
    for await (const part of fullStream) {
      if (part.type === 'text-delta') {
        yield { text: part.text };
      } else if (part.type === 'raw') {
        const tokensUsed = readUsage(part.rawValue);
        if (tokensUsed !== undefined) yield { tokensUsed };
      } else if (part.type === 'error') {
        throw toModelFailure(part.error, apiKey);
      } else if (part.type === 'finish') {
        const { totalTokens } = part.totalUsage;
        if (totalTokens !== undefined) yield { tokensUsed: totalTokens };
        assertComplete(part);
      }
    }
  } catch (error) {
    throw toModelFailure(error, apiKey);
  }
}

function userMessage(message: string): Message {
  return { role: 'user', content: message };
}

function toModelMessage({ role, content }: Message): ModelMessage {
  return { role: role === 'agent' ? 'assistant' : 'user', content };
}

/** The SDK reports a connection that closed mid-response as finished, but without a reason from the provider. */
function assertComplete(finish: {
  finishReason: string;
  rawFinishReason: string | undefined;
}): void {
  const { finishReason, rawFinishReason } = finish;
  if (finishReason === 'error' || (finishReason === 'other' && rawFinishReason === undefined)) {
    throw new ModelFailure("the provider's response ended early", { retryable: true });
  }
}

function toModelFailure(error: unknown, apiKey: string | undefined): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (APICallError.isInstance(error)) {
    const { statusCode = 0, responseHeaders = {}, responseBody = '' } = error;
    if (statusCode >= 400) {
      const words = providerWords(responseBody, apiKey === undefined ? [] : [apiKey]);
      return failureOfStatus(statusCode, retryAfterMs(responseHeaders), words);
    }
  }
  const code = networkErrorCode(error);
  return new ModelFailure(
    code === undefined
      ? "the provider's response ended early or is not valid"
      : `the connection to the provider failed (${code})`,
    { retryable: true },
  );
}

/** Libraries wrap the network's error, often several times. */
function networkErrorCode(error: unknown): string | undefined {
  const code = errorCode(error);
  const isWrapper = typeof error === 'object' && error !== null && 'cause' in error;
  return code === undefined && isWrapper ? networkErrorCode(error.cause) : code;
}

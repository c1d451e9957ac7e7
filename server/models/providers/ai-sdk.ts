/** Adapts a language model of the AI SDK to the service's model interface. */
import {
  APICallError,
  type JSONValue,
  type LanguageModel,
  streamText,
  ToolChoiceViolationError,
} from 'ai';
import { LRUCache } from 'lru-cache';
import { maxStep } from '../limits.js';
import {
  type CallEnd,
  type Chunk,
  type CountReceived,
  type Model,
  ModelFailure,
  type Prompt,
  type ToolCall,
} from '../model.js';
import { failureOfProvider } from './failure.js';
import { responseFormatOf, sdkPromptOf } from './ai-sdk-prompt.js';
import { toReply, toToolCall } from './ai-sdk-reply.js';
import { statusHeader } from './limited-fetch.js';
import { createEventReader } from './provider-events.js';
import { serverAddress } from '../observer.js';

// The SDK would write warnings to standard output, into the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export type ProviderOptions = Record<string, Record<string, JSONValue>>;

/** Parameters that some models reject. */
type OptionalParameter = 'temperature' | 'reasoning' | 'responseFormat';

interface LanguageModelOptions {
  /** Undefined if calls are not authenticated. */
  apiKey: string | undefined;
  /** Further credentials of the request, which are not shown. */
  secrets?: readonly string[];
  baseUrl: string;
  /** The name of the model for its provider. */
  name: string;
  providerOptions?: ProviderOptions;
  /** How the provider takes the manifest's `reasoning`. */
  reasoningOptions: (reasoning: NonNullable<Prompt['reasoning']>) => ProviderOptions;
  /** Used if the agent sets none. */
  maxOutputTokens?: number;
  /** The lowest limit that the provider accepts. */
  minOutputTokens?: number;
  /** Set if the provider would otherwise make every parameter of a tool required. */
  strictTools?: false;
  /** Parameters that are never sent. */
  without?: readonly OptionalParameter[];
}

export function languageModel(model: LanguageModel, options: LanguageModelOptions): Model {
  return {
    server: serverAddress(options.baseUrl),
    generate: (prompt, signal, countReceived) =>
      generate(model, options, { prompt, signal, countReceived }),
  };
}

interface Call {
  prompt: Prompt;
  signal: AbortSignal;
  countReceived: CountReceived;
}

/** What models have rejected, so that it is not tried with every call. */
const rejected = new LRUCache<string, ReadonlySet<OptionalParameter>>({ max: 1_000 });

/** Without the parameters that the model rejects: an agent should not fail because of a setting that the model does not have. */
async function* generate(
  model: LanguageModel,
  options: LanguageModelOptions,
  { prompt, ...call }: Call,
): AsyncGenerator<Chunk> {
  const key = `${options.baseUrl} ${options.name}`;
  const dropped = new Set<OptionalParameter>();
  for (;;) {
    const known = rejected.get(key) ?? [];
    const without = new Set([...(options.without ?? []), ...known, ...dropped]);
    for (const parameter of without) {
      if (parameter !== 'responseFormat' && prompt[parameter] !== undefined) {
        yield { changed: `${parameter} is not sent, because the model does not take it` };
      }
    }
    let hasOutput = false;
    try {
      const parameters = withoutParameters(prompt, without);
      for await (const chunk of stream(model, options, { ...call, prompt: parameters }, without)) {
        hasOutput ||= 'text' in chunk;
        yield chunk;
      }
      // Only now is it known that the parameter was the reason: an error may repeat a user's words.
      if (dropped.size > 0) rejected.set(key, new Set([...known, ...dropped]));
      return;
    } catch (error) {
      const parameter = hasOutput ? undefined : rejectedParameter(error, prompt, without);
      if (parameter === undefined) throw failureOfProvider(error, secretsOf(options));
      dropped.add(parameter);
      if (parameter === 'responseFormat') {
        yield {
          changed:
            'the output schema is only part of the instructions, because the server does not take it',
        };
      }
    }
  }
}

function secretsOf({ apiKey, secrets = [] }: LanguageModelOptions): readonly string[] {
  return apiKey === undefined ? secrets : [apiKey, ...secrets];
}

function withoutParameters(prompt: Prompt, without: ReadonlySet<OptionalParameter>): Prompt {
  return {
    ...prompt,
    ...(without.has('temperature') ? { temperature: undefined } : {}),
    ...(without.has('reasoning') ? { reasoning: undefined } : {}),
  };
}

const namesOfParameters: Record<OptionalParameter, RegExp> = {
  temperature: /temperature/i,
  reasoning: /reasoning|thinking|effort/i,
  responseFormat: /response_?format|json_schema|json_object|structured output/i,
};

/** The parameter that a provider's error is about, if it was sent. */
function rejectedParameter(
  error: unknown,
  prompt: Prompt,
  without: ReadonlySet<OptionalParameter>,
): OptionalParameter | undefined {
  if (!APICallError.isInstance(error)) return undefined;
  const { statusCode, responseBody = '' } = error;
  if (statusCode !== 400 && statusCode !== 422) return undefined;
  const sent: OptionalParameter[] = [
    ...(prompt.temperature === undefined ? [] : (['temperature'] as const)),
    ...(prompt.reasoning === undefined ? [] : (['reasoning'] as const)),
    ...(prompt.outputSchema === undefined ? [] : (['responseFormat'] as const)),
  ];
  return sent.find(
    (parameter) => !without.has(parameter) && namesOfParameters[parameter].test(responseBody),
  );
}

async function* stream(
  model: LanguageModel,
  options: LanguageModelOptions,
  { prompt, signal, countReceived }: Call,
  without: ReadonlySet<OptionalParameter>,
): AsyncGenerator<Chunk> {
  // Aborted at the end, since the library keeps the connection open if the response is not read to its end.
  const ended = new AbortController();
  const { minOutputTokens = 1, maxOutputTokens: defaultLimit } = options;
  const wanted = prompt.maxOutputTokens ?? defaultLimit;
  const maxOutputTokens = wanted && Math.max(minOutputTokens, wanted);
  if (maxOutputTokens !== wanted) {
    yield { changed: `maxOutputTokens is ${minOutputTokens}, the least that the provider takes` };
  }
  const result = streamText({
    model,
    ...sdkPromptOf(prompt, options),
    ...(without.has('responseFormat') ? {} : responseFormatOf(prompt)),
    ...(prompt.temperature === undefined ? {} : { temperature: prompt.temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    providerOptions: providerOptionsOf(options, prompt),
    abortSignal: AbortSignal.any([signal, ended.signal]),
    // The model caller retries, but only before the first text, and logs each retry.
    maxRetries: 0,
    onError: () => undefined,
    // The SDK reports usage only at the end, which a response that is cut off never reaches.
    includeRawChunks: true,
  });
  const events = createEventReader();
  const toolCalls: ToolCall[] = [];
  const started = { calls: 0, argumentsLength: 0 };
  let responseModel: string | undefined;
  let end: CallEnd | undefined;
  try {
    for await (const part of result.fullStream) {
      if (part.type === 'start-step') {
        yield { accepted: true };
        for (const warning of part.warnings) yield* changesOf(warning, prompt);
      } else if (part.type === 'text-delta') {
        yield { text: part.text };
      } else if (part.type === 'raw') {
        const { tokensUsed, refusal } = events.read(part.rawValue);
        if (tokensUsed !== undefined) yield { tokensUsed };
        if (refusal !== undefined) yield { text: refusal };
      } else if (part.type === 'reasoning-delta') {
        countReceived(part.text.length);
      } else if (part.type === 'tool-input-delta') {
        countReceived(part.delta.length);
        started.argumentsLength += part.delta.length;
        if (started.argumentsLength > maxStep.argumentsLength) throw tooMany('tool arguments');
      } else if (part.type === 'tool-input-start') {
        started.calls += 1;
        if (started.calls > maxStep.toolCalls) throw tooMany('tool calls');
      } else if (part.type === 'tool-call') {
        toolCalls.push(toToolCall(part, toolCalls));
      } else if (part.type === 'finish-step') {
        responseModel = part.response.modelId;
        const status = Number(part.response.headers?.[statusHeader]);
        if (!Number.isNaN(status)) yield { status };
      } else if (part.type === 'error') {
        // The model was told to answer, and asks for tools again.
        if (!ToolChoiceViolationError.isInstance(part.error)) throw part.error;
        end = {
          ended: 'stop',
          toolCalls: [],
          reply: [],
          withheldCalls: Math.max(1, started.calls),
        };
      } else if (part.type === 'finish') {
        const { totalTokens, inputTokens, outputTokens, inputTokenDetails, outputTokenDetails } =
          part.totalUsage;
        const { finishReason } = part;
        if (totalTokens !== undefined) {
          const { cacheReadTokens } = inputTokenDetails;
          const { reasoningTokens } = outputTokenDetails;
          const kinds = {
            inputTokens,
            outputTokens,
            cachedInputTokens: events.reports('cached') ? cacheReadTokens : undefined,
            reasoningTokens: events.reports('reasoning') ? reasoningTokens : undefined,
          };
          yield { tokensUsed: totalTokens, ...kinds, finishReason, responseModel };
        }
        if (end) continue;
        assertComplete(part);
        const isFiltered = finishReason === 'content-filter' || events.hasRefusal();
        end = endOf(
          isFiltered ? 'content_filter' : finishReason === 'length' ? 'length' : 'stop',
          toolCalls,
        );
      }
    }
    if (end && end.toolCalls.length > 0) {
      const { messages } = await result.response;
      end.reply = toReply(messages, end.toolCalls);
    }
    if (end) yield end;
  } finally {
    ended.abort();
  }
}

/** Calls in a reply that the provider stopped are not made: they may not be what the model meant. */
function endOf(ended: CallEnd['ended'], toolCalls: ToolCall[]): CallEnd {
  return ended === 'stop'
    ? { ended, toolCalls, reply: [], withheldCalls: 0 }
    : { ended, toolCalls: [], reply: [], withheldCalls: toolCalls.length };
}

function providerOptionsOf(
  { providerOptions = {}, reasoningOptions }: LanguageModelOptions,
  { reasoning }: Prompt,
): ProviderOptions {
  const added = reasoning === undefined ? {} : reasoningOptions(reasoning);
  const names = new Set([...Object.keys(providerOptions), ...Object.keys(added)]);
  return Object.fromEntries(
    [...names].map((name) => [name, { ...providerOptions[name], ...added[name] }]),
  );
}

interface Warning {
  type: string;
  feature?: string;
  details?: string | undefined;
}

/** Which of the agent's settings the library does not send to this model, or sends with another value. */
function changesOf({ feature = '', details = '' }: Warning, prompt: Prompt): Chunk[] {
  const setting = /temperature/.test(feature)
    ? 'temperature'
    : /maxOutputTokens/.test(feature)
      ? 'maxOutputTokens'
      : /reasoning|thinking|effort/i.test(feature)
        ? 'reasoning'
        : undefined;
  if (setting === undefined || prompt[setting] === undefined) return [];
  return [{ changed: `${setting}: ${details || 'the model does not take it'}` }];
}

function tooMany(what: string): ModelFailure {
  return new ModelFailure(`the model sends too many ${what} at once`, { retryable: false });
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

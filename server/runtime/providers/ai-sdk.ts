/** Adapts a language model of the AI SDK to the service's model interface. */
import {
  APICallError,
  jsonSchema,
  type JSONValue,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  tool,
  ToolChoiceViolationError,
  type ToolSet,
} from 'ai';
import { errorCode } from '../../lib/errors/error-code.js';
import { exceededLimit } from '../../lib/data/json-limits.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { serverAddress } from './server-address.js';
import { maxArguments, maxStep } from '../limits.js';
import {
  type Model,
  ModelFailure,
  type Chunk,
  type Prompt,
  type Message,
  type CountReceived,
  type Step,
  type ToolCall,
  type ToolDefinition,
  type ToolResult,
} from '../model.js';
import { statusHeader } from './limited-fetch.js';
import { createUsageReader } from './reported-usage.js';
import { failureOfResponse } from './response-error.js';
import { failureInStream } from './stream-error.js';

// The SDK would write warnings to standard output, into the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

type ProviderOptions = Record<string, Record<string, JSONValue>>;

interface LanguageModelOptions {
  /** Undefined if calls are not authenticated. */
  apiKey: string | undefined;
  /** Further credentials of the request, which are not shown. */
  secrets?: readonly string[];
  baseUrl: string;
  /** Whether the format of the output schema is sent. By default it is; the instructions contain the schema anyway. */
  sendsFormat?: boolean;
  providerOptions?: ProviderOptions;
}

export function languageModel(model: LanguageModel, options: LanguageModelOptions): Model {
  return {
    server: serverAddress(options.baseUrl),
    generate: (prompt, signal, countReceived) =>
      stream(model, options, prompt, signal, countReceived),
  };
}

async function* stream(
  model: LanguageModel,
  { apiKey, secrets: others = [], providerOptions = {}, sendsFormat = true }: LanguageModelOptions,
  prompt: Prompt,
  signal: AbortSignal,
  countReceived: CountReceived,
): AsyncGenerator<Chunk> {
  // Aborted at the end, since the library keeps the connection open if the response is not read to its end.
  const ended = new AbortController();
  const system = systemOf(prompt);
  const secrets = apiKey === undefined ? others : [apiKey, ...others];
  const result = streamText({
    model,
    ...(system === '' ? {} : { system }),
    messages: messagesOf(prompt),
    ...(prompt.temperature === undefined ? {} : { temperature: prompt.temperature }),
    ...toolsOf(prompt),
    ...(sendsFormat ? outputOf(prompt) : {}),
    providerOptions,
    abortSignal: AbortSignal.any([signal, ended.signal]),
    // The model caller retries, but only before the first text, and logs each retry.
    maxRetries: 0,
    onError: () => undefined,
    // The SDK reports usage only at the end, which a response that is cut off never reaches.
    includeRawChunks: true,
  });
  const readUsage = createUsageReader();
  const toolCalls: ToolCall[] = [];
  const started = { calls: 0, argumentsLength: 0 };
  let responseModel: string | undefined;
  try {
    for await (const part of result.fullStream) {
      if (part.type === 'start-step') {
        yield { accepted: true };
      } else if (part.type === 'text-delta') {
        yield { text: part.text };
      } else if (part.type === 'raw') {
        const tokensUsed = readUsage(part.rawValue);
        if (tokensUsed !== undefined) yield { tokensUsed };
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
        const { toolCallId: id, toolName: name, input } = part;
        assertUsable(input);
        toolCalls.push({ id, name, arguments: input });
      } else if (part.type === 'finish-step') {
        responseModel = part.response.modelId;
        const status = Number(part.response.headers?.[statusHeader]);
        if (!Number.isNaN(status)) yield { status };
      } else if (part.type === 'error') {
        throw toModelFailure(part.error, secrets);
      } else if (part.type === 'finish') {
        const { totalTokens, inputTokens, outputTokens } = part.totalUsage;
        const { finishReason } = part;
        if (totalTokens !== undefined) {
          yield { tokensUsed: totalTokens, inputTokens, outputTokens, finishReason, responseModel };
        }
        assertComplete(part);
      }
    }
    if (toolCalls.length > 0) {
      const { messages } = await result.response;
      // Without the results that the library adds for calls that it cannot parse.
      const reply = messages
        .filter(({ role }) => role === 'assistant')
        .map((said) => ({ ...said }));
      yield { toolCalls, reply };
    }
  } catch (error) {
    throw toModelFailure(error, secrets);
  } finally {
    ended.abort();
  }
}

function tooMany(what: string): ModelFailure {
  return new ModelFailure(`the model sends too many ${what} at once`, { retryable: false });
}

function systemOf({ instructions, outputSchema }: Prompt): string {
  if (!outputSchema) return instructions;
  // Not every provider passes the schema on to its model, and not every model follows it.
  const format = `Answer with nothing but JSON that fits this schema:\n${JSON.stringify(outputSchema)}`;
  return instructions === '' ? format : `${instructions}\n\n${format}`;
}

/** Without `execute`, since the service calls the tools itself once the model's reply is complete. */
function toolsOf({ tools = [], mayCallTools = true }: Prompt) {
  if (tools.length === 0) return {};
  const toolChoice = mayCallTools ? ('auto' as const) : ('none' as const);
  // The library's types require optional properties to be present as undefined.
  return { tools: Object.fromEntries(tools.map(toSdkTool)) as ToolSet, toolChoice };
}

function toSdkTool({ name, description, parameters }: ToolDefinition) {
  return [name, tool({ description, inputSchema: jsonSchema(parameters) })] as const;
}

/** Sets only the format, because Output.object() would parse the whole text again with every delta. */
function outputOf({ outputSchema }: Prompt) {
  if (!outputSchema) return {};
  const { responseFormat } = Output.object({ schema: jsonSchema(outputSchema) });
  return { output: { ...Output.text(), responseFormat } };
}

function messagesOf({ history, message, steps = [] }: Prompt): ModelMessage[] {
  return [
    // Providers reject empty messages.
    ...history.filter(({ content }) => content !== '').map(toModelMessage),
    toModelMessage({ role: 'user', content: message }),
    ...steps.flatMap(messagesOfStep),
  ];
}

function messagesOfStep(step: Step): ModelMessage[] {
  if ('correction' in step) {
    const said: Message = { role: 'agent', content: step.response };
    const correction: Message = { role: 'user', content: step.correction };
    return (said.content === '' ? [correction] : [said, correction]).map(toModelMessage);
  }
  return [
    // Created by the library in an earlier step.
    ...(step.reply as unknown as ModelMessage[]),
    { role: 'tool', content: step.results.map(toResultPart) },
  ];
}

function toResultPart({ call, succeeded, text }: ToolResult) {
  return {
    type: 'tool-result' as const,
    toolCallId: call.id,
    toolName: call.name,
    output: { type: succeeded ? ('text' as const) : ('error-text' as const), value: text },
  };
}

function toModelMessage({ role, content }: Message): ModelMessage {
  return { role: role === 'agent' ? 'assistant' : 'user', content };
}

/** Arguments that are nested too deeply cannot be serialized for the tool and the next model call. */
function assertUsable(args: unknown): void {
  const excess = typeof args === 'object' && args !== null && exceededLimit(args, maxArguments);
  if (typeof excess !== 'string') return;
  throw new ModelFailure(`the input of a tool call ${excess}`, { retryable: false });
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

function toModelFailure(error: unknown, secrets: readonly string[]): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (APICallError.isInstance(error)) {
    const {
      statusCode: status = 0,
      responseHeaders: headers = {},
      responseBody: body = '',
    } = error;
    if (status >= 400) return failureOfResponse({ status, headers, body }, secrets);
  }
  const reported = failureInStream(error, secrets);
  if (reported) return reported;
  if (ToolChoiceViolationError.isInstance(error)) {
    return new ModelFailure('the model calls tools when it must answer', { retryable: false });
  }
  if (causeOf(error) instanceof ResponseTooLarge) {
    return new ModelFailure("the provider's response is too long", { retryable: false });
  }
  const code = errorCode(causeOf(error));
  return new ModelFailure(
    code === undefined
      ? "the provider's response ended early or is not valid"
      : `the connection to the provider failed (${code})`,
    { retryable: true },
  );
}

/** Libraries wrap the network's error, often several times. */
function causeOf(error: unknown): unknown {
  const isWrapper = typeof error === 'object' && error !== null && 'cause' in error;
  return errorCode(error) === undefined && isWrapper ? causeOf(error.cause) : error;
}

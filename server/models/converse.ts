/** Runs a conversation until the model answers: calls the tools that it requests, and asks for a correction of invalid output. */
import type { FinishReason } from '../../generated/api.js';
import {
  type ModelCaller,
  type ModelCallOptions,
  type ModelCandidate,
  createModelCaller,
} from './call-model.js';
import { maxResponse } from './limits.js';
import {
  type CallEnd,
  ModelFailure,
  type Prompt,
  type Step,
  type TokenUsage,
  type ToolDefinition,
  type ToolCall,
  type ToolResult,
} from './model.js';
import { checkJson, SchemaFailure } from './schema-checks.js';
import { createShortener, type LeftOut, type Shortener } from './shorten-prompt.js';

export interface Toolbox {
  definitions: readonly ToolDefinition[];
  /** The maximum number of model calls. */
  maxSteps: number;
  /** Resolves to a result for each call, in the same order. Rejects only to end the conversation, for example with the signal's reason. */
  call: (calls: readonly ToolCall[], signal: AbortSignal) => Promise<ToolResult[]>;
}

export interface ConversationOptions extends ModelCallOptions {
  /** Undefined if the model has no tools. */
  toolbox?: Toolbox | undefined;
  /** A JSON Schema. If set, the response must fit it, and is passed on as JSON text and as a whole instead of in chunks. */
  outputSchema?: object | undefined;
  onText: (text: string) => void;
  onNextCall: (next: NextCall) => void;
  /** Called at the end if parts of the prompt were left out, because the provider had rejected it as too long. */
  onLeftOut?: (leftOut: LeftOut) => void;
  /** Called if the model requests tools in a reply whose calls must not be made. */
  onCallsWithheld?: (withheld: { calls: number; reason: CallEnd['ended'] }) => void;
  /** Called if the model had to answer because it may not be called again. */
  onStepLimit?: (maxSteps: number) => void;
}

export interface NextCall {
  /** The number of the call; the first one is 1. */
  call: number;
  /** Why the model is called again. */
  reason: string;
}

interface Conversation {
  /** The sum over all model calls. */
  tokensUsed: number;
  /** The name of the model that answered. */
  model: string;
  finishReason: FinishReason;
  usage: TokenUsage;
  /** The tool calls and corrections on the way to the answer. */
  steps: readonly Step[];
}

/** Throws a ModelFailure, or the signal's reason. */
export async function converse(
  candidates: readonly [ModelCandidate, ...ModelCandidate[]],
  prompt: Prompt,
  options: ConversationOptions,
): Promise<Conversation> {
  const caller = createModelCaller(candidates, options);
  const shortener = createShortener(prompt, caller);
  try {
    return await converseWith(caller, shortener, prompt, options);
  } finally {
    const leftOut = shortener.leftOut();
    if (leftOut) options.onLeftOut?.(leftOut);
  }
}

async function converseWith(
  caller: ModelCaller,
  shortener: Shortener,
  prompt: Prompt,
  options: ConversationOptions,
): Promise<Conversation> {
  const { signal, toolbox, outputSchema, onNextCall } = options;
  const response = outputSchema ? bufferedResponse() : streamedResponse(options.onText);
  const steps: Step[] = [];
  let isCorrected = false;

  for (let call = 1; ; call += 1) {
    const mayCallTools = toolbox !== undefined && call < toolbox.maxSteps;
    response.beginStep();
    const end = await shortener.call(
      {
        ...prompt,
        steps,
        ...(toolbox ? { tools: toolbox.definitions, mayCallTools } : {}),
        ...(outputSchema ? { outputSchema } : {}),
      },
      response.append,
    );
    if (end.toolCalls.length > 0 && mayCallTools) {
      const results = await toolbox.call(end.toolCalls, signal);
      // Results stay in memory until the conversation ends.
      for (const { text } of results) options.countReceived(2 * text.length);
      steps.push({ reply: end.reply, results });
      onNextCall({ call: call + 1, reason: toolsAnswered(results.length) });
      continue;
    }
    const withheld = end.withheldCalls + end.toolCalls.length;
    if (withheld > 0 && !toolbox) {
      throw new ModelFailure('the model calls tools that it does not have', { retryable: false });
    }
    if (withheld > 0) options.onCallsWithheld?.({ calls: withheld, reason: end.ended });
    const isForced = toolbox !== undefined && !mayCallTools && steps.some(isToolStep);
    if (isForced) options.onStepLimit?.(toolbox.maxSteps);
    const answered: Conversation = {
      tokensUsed: caller.tokensUsed(),
      model: caller.model(),
      finishReason: end.ended === 'stop' && isForced ? 'steps' : end.ended,
      usage: caller.usage(),
      steps,
    };
    if (end.ended === 'content_filter' && response.isBlank()) throw refused();
    if (!outputSchema) return answered;
    if (end.ended !== 'stop') throw incompleteOutput(end.ended);
    const json = withoutFence(response.text());
    const problem = await problemWithOutput({ schema: outputSchema, json }, options);
    if (problem === undefined) {
      options.onText(json);
      return answered;
    }
    if (isCorrected) throw invalidOutput(problem);
    isCorrected = true;
    const correction = `That is not usable: ${problem}. Answer again, with nothing but JSON that fits the schema.`;
    steps.push({ response: response.text(), correction });
    onNextCall({ call: call + 1, reason: 'the response does not fit output.schema' });
  }
}

const isToolStep = (step: Step) => 'reply' in step;

const toolsAnswered = (tools: number) =>
  tools === 1 ? '1 tool has answered' : `${tools} tools have answered`;

interface Response {
  beginStep: () => void;
  append: (text: string) => void;
  /** The text of the last step; empty if it is not buffered. */
  text: () => string;
  isBlank: () => boolean;
}

/** Text that precedes tool calls is part of the response, as a paragraph of its own. */
function streamedResponse(onText: (text: string) => void): Response {
  let length = 0;
  let needsBreak = false;
  let isBlank = true;
  return {
    beginStep: () => {
      needsBreak = !isBlank;
    },
    append: (text) => {
      const chunk = needsBreak ? `\n\n${text}` : text;
      needsBreak = false;
      isBlank &&= text.trim() === '';
      length += chunk.length;
      assertNotTooLong(length);
      onText(chunk);
    },
    text: () => '',
    isBlank: () => isBlank,
  };
}

/** Text that precedes tool calls is dropped, since it cannot be part of JSON output. */
function bufferedResponse(): Response {
  let buffer = '';
  return {
    beginStep: () => {
      buffer = '';
    },
    append: (text) => {
      buffer += text;
      assertNotTooLong(buffer.length);
    },
    text: () => buffer,
    isBlank: () => buffer.trim() === '',
  };
}

function assertNotTooLong(length: number): void {
  if (length <= maxResponse.length) return;
  throw new ModelFailure(`the response is longer than ${maxResponse.length} characters`, {
    retryable: false,
  });
}

function refused(): ModelFailure {
  return new ModelFailure('the model refused to answer, or a content filter removed its answer', {
    retryable: false,
    explanation:
      'The model refused to answer this message, or its content filter removed the answer.',
  });
}

/** Many models put JSON into a Markdown code block, even if told not to. */
function withoutFence(response: string): string {
  const text = response.trim();
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  const inner = text.slice(3, -3);
  return inner.slice(inner.indexOf('\n') + 1).trim();
}

/** Throws a ModelFailure if the schema cannot be used. */
function problemWithOutput(
  output: { schema: object; json: string },
  { queueKey, signal }: Pick<ConversationOptions, 'queueKey' | 'signal'>,
): Promise<string | undefined> {
  return checkJson(output, queueKey, signal).catch((error: unknown) => {
    if (!(error instanceof SchemaFailure)) throw error;
    throw new ModelFailure(`the response cannot be checked: output.schema ${error.message}`, {
      retryable: false,
    });
  });
}

function incompleteOutput(ended: Exclude<CallEnd['ended'], 'stop'>): ModelFailure {
  const cause =
    ended === 'length'
      ? 'the model reached its output limit'
      : "the provider's content filter stopped it";
  return new ModelFailure(`the response is incomplete, so it cannot fit output.schema: ${cause}`, {
    retryable: false,
    explanation: `The answer is incomplete, because ${cause}.`,
  });
}

function invalidOutput(problem: string): ModelFailure {
  return new ModelFailure('the response does not fit output.schema, even after a correction', {
    retryable: false,
    said: problem,
  });
}

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
  type Reply,
  type Step,
  type TokenUsage,
  type ToolDefinition,
  type ToolCall,
  type ToolResult,
} from './model.js';
import { checkJson, SchemaFailure } from './schema-checks.js';
import type { Approver } from './tools/tool.js';
import { createShortener, type LeftOut, type Shortener } from './shorten-prompt.js';

export interface Toolbox {
  definitions: readonly ToolDefinition[];
  /** The maximum number of model calls. */
  maxSteps: number;
  /** Gives calls their ids. */
  number: (calls: readonly ToolCall[]) => RequestedCall[];
  /**
   * Resolves to a result for each call, in the same order, or to the calls that wait for approval; then none was made. Rejects only to end
   * the conversation, for example with the signal's reason.
   */
  call: (requested: RequestedCalls, signal: AbortSignal) => Promise<CallOutcome>;
}

/** A call of a reply. Without an id it cannot be made: there is no such tool, or there are too many calls. */
export interface RequestedCall {
  call: ToolCall;
  id?: string;
}

/** A reply of the model that calls tools, and what has become of the calls, by their ids. */
export interface RequestedCalls {
  reply: Reply;
  /** What the model said with it, as far as it is part of the response. */
  text: string;
  calls: readonly RequestedCall[];
  /** Whether the calls have begun, in a process that was stopped. */
  isBegun: boolean;
  results: ReadonlyMap<string, Omit<ToolResult, 'call'>>;
  decisions: ReadonlyMap<string, Decision>;
  /** What the user said with the decisions. */
  said?: string | undefined;
}

export interface Decision {
  decision: 'approve' | 'reject';
  /** Why, for the model. */
  note?: string | undefined;
}

/** A call that waits for approval. */
export interface WaitingCall {
  id: string;
  tool: string;
  /** Exactly what will be sent. */
  arguments: Readonly<Record<string, unknown>>;
  approver: Approver;
}

export type CallOutcome = { results: ToolResult[] } | { waiting: WaitingCall[] };

/** What a conversation has said and done before, in a process that was stopped or before it waited for approval. */
export interface EarlierConversation {
  steps: readonly Step[];
  /** The number of model calls. */
  calls: number;
  /** The texts of the replies that belong to the response. */
  texts: readonly string[];
  /** The last reply, if not all of its calls have a result. */
  requested: RequestedCalls | undefined;
  tokensUsed: number;
  usage: TokenUsage;
}

export interface ConversationOptions extends ModelCallOptions {
  /** Undefined if the model has no tools. */
  toolbox?: Toolbox | undefined;
  /** Undefined if the conversation begins. */
  earlier?: EarlierConversation | undefined;
  /** Called for each of the earlier texts, after it was passed on. */
  onEarlierReply?: (index: number) => void;
  /** Called before each model call, and may end the conversation by an error. */
  beforeModelCall?: () => void;
  /** Called with each reply that calls tools, before they are called. */
  onRequest?: (requested: RequestedCalls, so: Pick<Conversation, 'tokensUsed' | 'usage'>) => void;
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
  /** Undefined if calls wait for approval. */
  finishReason: FinishReason | undefined;
  usage: TokenUsage;
  /** The tool calls and corrections on the way to the answer. */
  steps: readonly Step[];
  /** The calls that wait for approval; empty if the model has answered. */
  waiting: readonly WaitingCall[];
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
  const { signal, toolbox, outputSchema, onNextCall, earlier } = options;
  const response = outputSchema ? bufferedResponse() : streamedResponse(options.onText);
  const steps: Step[] = [...(earlier?.steps ?? [])];
  let requested = earlier?.requested;
  let isCorrected = false;
  for (const [index, text] of (earlier?.texts ?? []).entries()) {
    response.beginStep();
    if (text !== '') response.append(text);
    options.onEarlierReply?.(index);
  }
  const conversation = (finishReason?: FinishReason): Conversation => ({
    tokensUsed: caller.tokensUsed(),
    model: caller.model(),
    finishReason,
    usage: caller.usage(),
    steps,
    waiting: [],
  });

  for (let call = (earlier?.calls ?? 0) + 1; ; call += 1) {
    if (toolbox && requested) {
      const outcome = await toolbox.call(requested, signal);
      if ('waiting' in outcome) return { ...conversation(), waiting: outcome.waiting };
      // Results stay in memory until the conversation ends.
      for (const { text } of outcome.results) options.countReceived(2 * text.length);
      steps.push({ reply: requested.reply, results: outcome.results });
      if (requested.said !== undefined) steps.push({ said: requested.said });
      onNextCall({ call, reason: toolsAnswered(outcome.results.length) });
      requested = undefined;
    }
    const mayCallTools = toolbox !== undefined && call < toolbox.maxSteps;
    options.beforeModelCall?.();
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
      requested = {
        reply: end.reply,
        text: response.spokenText(),
        calls: toolbox.number(end.toolCalls),
        isBegun: false,
        results: new Map(),
        decisions: new Map(),
      };
      options.onRequest?.(requested, conversation());
      continue;
    }
    const withheld = end.withheldCalls + end.toolCalls.length;
    if (withheld > 0 && !toolbox) {
      throw new ModelFailure('the model calls tools that it does not have', { retryable: false });
    }
    if (withheld > 0) options.onCallsWithheld?.({ calls: withheld, reason: end.ended });
    const isForced = toolbox !== undefined && !mayCallTools && steps.some(isToolStep);
    if (isForced) options.onStepLimit?.(toolbox.maxSteps);
    const answered = conversation(end.ended === 'stop' && isForced ? 'steps' : end.ended);
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
  /** What the last step adds to the response. */
  spokenText: () => string;
  isBlank: () => boolean;
}

/** Text that precedes tool calls is part of the response, as a paragraph of its own. */
function streamedResponse(onText: (text: string) => void): Response {
  let length = 0;
  let needsBreak = false;
  let isBlank = true;
  let spoken = '';
  return {
    beginStep: () => {
      needsBreak = !isBlank;
      spoken = '';
    },
    append: (text) => {
      spoken += text;
      const chunk = needsBreak ? `\n\n${text}` : text;
      needsBreak = false;
      isBlank &&= text.trim() === '';
      length += chunk.length;
      assertNotTooLong(length);
      onText(chunk);
    },
    text: () => '',
    spokenText: () => spoken,
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
    spokenText: () => '',
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

/** Runs a conversation until the model answers: calls the tools that it requests, and asks for a correction of invalid output. */
import type { FinishReason } from '../../generated/api.js';
import { type ModelCallOptions, type ModelCandidate, createModelCaller } from './call-model.js';
import { maxResponse } from './limits.js';
import {
  ModelFailure,
  type Prompt,
  type Step,
  type ToolDefinition,
  type ToolCall,
  type TokenUsage,
  type ToolResult,
} from './model.js';
import type { OutputCheck } from './output-check.js';

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
  /** If set, the response must pass the check, and is passed on as a whole instead of in chunks. */
  output?: OutputCheck | undefined;
  onText: (text: string) => void;
  onNextCall: (next: NextCall) => void;
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
}

/** Throws a ModelFailure, or the signal's reason. */
export async function converse(
  candidates: readonly [ModelCandidate, ...ModelCandidate[]],
  prompt: Prompt,
  options: ConversationOptions,
): Promise<Conversation> {
  const { signal, toolbox, output, onNextCall } = options;
  const caller = createModelCaller(candidates, options);
  const response = output ? bufferedResponse() : streamedResponse(options.onText);
  const steps: Step[] = [];
  let isCorrected = false;

  for (let call = 1; ; call += 1) {
    const mayCallTools = toolbox !== undefined && call < toolbox.maxSteps;
    response.beginStep();
    const end = await caller.call(
      {
        ...prompt,
        steps,
        ...(toolbox ? { tools: toolbox.definitions, mayCallTools } : {}),
        ...(output ? { outputSchema: output.schema } : {}),
      },
      response.append,
    );
    if (end) {
      if (!mayCallTools)
        throw new ModelFailure('the model calls tools that it does not have', { retryable: false });
      const results = await toolbox.call(end.toolCalls, signal);
      // Results stay in memory until the conversation ends.
      for (const { text } of results) options.countReceived(2 * text.length);
      steps.push({ reply: end.reply, results });
      onNextCall({ call: call + 1, reason: toolsAnswered(results.length) });
      continue;
    }
    const answered: Conversation = {
      tokensUsed: caller.tokensUsed(),
      model: caller.model(),
      finishReason: 'stop',
      usage: {},
    };
    if (!output) return answered;
    const checked = await output.check(response.text(), signal);
    if ('json' in checked) {
      options.onText(checked.json);
      return answered;
    }
    if (isCorrected) throw invalidOutput(checked.problem);
    isCorrected = true;
    steps.push({ response: response.text(), correction: checked.correction });
    onNextCall({ call: call + 1, reason: 'the response does not fit output.schema' });
  }
}

const toolsAnswered = (tools: number) =>
  tools === 1 ? '1 tool has answered' : `${tools} tools have answered`;

interface Response {
  beginStep: () => void;
  append: (text: string) => void;
  /** The text of the last step; empty if it is not buffered. */
  text: () => string;
}

/** Text that precedes tool calls is part of the response, as a paragraph of its own. */
function streamedResponse(onText: (text: string) => void): Response {
  let length = 0;
  let needsBreak = false;
  return {
    beginStep: () => {
      needsBreak = length > 0;
    },
    append: (text) => {
      const chunk = needsBreak ? `\n\n${text}` : text;
      needsBreak = false;
      length += chunk.length;
      assertNotTooLong(length);
      onText(chunk);
    },
    text: () => '',
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
  };
}

function assertNotTooLong(length: number): void {
  if (length <= maxResponse.length) return;
  throw new ModelFailure(`the response is longer than ${maxResponse.length} characters`, {
    retryable: false,
  });
}

function invalidOutput(problem: string): ModelFailure {
  return new ModelFailure('the response does not fit output.schema, even after a correction', {
    retryable: false,
    said: problem,
  });
}

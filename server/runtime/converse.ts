/** Converses with a model until it has answered: calls the tools that it asks for, and sends back what does not fit. */
import { type ModelCallOptions, type ModelCandidate, createModelCaller } from './call-model.js';
import { maxResponse } from './limits.js';
import {
  ModelFailure,
  type Prompt,
  type Step,
  type ToolDefinition,
  type ToolCall,
  type ToolResult,
} from './model.js';
import type { OutputCheck } from './output-check.js';

export interface Toolbox {
  definitions: readonly ToolDefinition[];
  /** How often the model may be called. */
  maxSteps: number;
  /** A result for each call, in the same order. Rejects only if the conversation must end, such as with the signal's reason. */
  call: (calls: readonly ToolCall[], signal: AbortSignal) => Promise<ToolResult[]>;
}

export interface ConversationOptions extends ModelCallOptions {
  /** Undefined: the model has no tools. */
  toolbox?: Toolbox | undefined;
  /** Undefined: any text is a response. Otherwise the response is handed out once it fits, and not in pieces. */
  output?: OutputCheck | undefined;
  onText: (text: string) => void;
  onNextCall: (next: NextCall) => void;
}

/** Why a model is called once more. */
export interface NextCall {
  /** The first is 1. */
  call: number;
  reason: string;
}

export interface Conversation {
  /** What all calls of models used. */
  tokensUsed: number;
  /** The name of the model that answered. */
  model: string;
}

/** Throws a ModelFailure, or the signal's reason. */
export async function converse(
  candidates: readonly [ModelCandidate, ...ModelCandidate[]],
  prompt: Prompt,
  options: ConversationOptions,
): Promise<Conversation> {
  const { signal, toolbox, output, onNextCall } = options;
  const caller = createModelCaller(candidates, options);
  const response = output ? heldResponse() : streamedResponse(options.onText);
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
      // Held until the conversation ends.
      for (const { text } of results) options.countReceived(2 * text.length);
      steps.push({ reply: end.reply, results });
      onNextCall({ call: call + 1, reason: haveAnswered(results.length) });
      continue;
    }
    const answered = { tokensUsed: caller.tokensUsed(), model: caller.model() };
    if (!output) return answered;
    const checked = await output.check(response.text(), signal);
    if ('json' in checked) {
      options.onText(checked.json);
      return answered;
    }
    if (isCorrected) throw unfit(checked.problem);
    isCorrected = true;
    steps.push({ response: response.text(), correction: checked.correction });
    onNextCall({ call: call + 1, reason: 'the response does not fit output.schema' });
  }
}

const haveAnswered = (tools: number) =>
  tools === 1 ? '1 tool has answered' : `${tools} tools have answered`;

interface Response {
  beginStep: () => void;
  append: (text: string) => void;
  /** Of the last step. */
  text: () => string;
}

/** What the model says before it calls tools is part of the response, as a paragraph of its own. */
function streamedResponse(onText: (text: string) => void): Response {
  let length = 0;
  let needsBreak = false;
  return {
    beginStep: () => {
      needsBreak = length > 0;
    },
    append: (text) => {
      const piece = needsBreak ? `\n\n${text}` : text;
      needsBreak = false;
      length += piece.length;
      assertNotTooLong(length);
      onText(piece);
    },
    text: () => '',
  };
}

/** What the model says before it calls tools cannot fit, and is dropped. */
function heldResponse(): Response {
  let held = '';
  return {
    beginStep: () => {
      held = '';
    },
    append: (text) => {
      held += text;
      assertNotTooLong(held.length);
    },
    text: () => held,
  };
}

function assertNotTooLong(length: number): void {
  if (length <= maxResponse.length) return;
  throw new ModelFailure(`the response is longer than ${maxResponse.length} characters`, {
    retryable: false,
  });
}

function unfit(problem: string): ModelFailure {
  return new ModelFailure('the response does not fit output.schema, even corrected', {
    retryable: false,
    said: problem,
  });
}

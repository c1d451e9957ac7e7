/** Prepares a model's reply with tool calls to be sent back: providers reject some of what their own models write. */
import { InvalidToolInputError, type ModelMessage, type ToolSet, type TypedToolCall } from 'ai';
import { exceededLimit } from '../../lib/data/json-limits.js';
import { maxArguments } from '../limits.js';
import { ModelFailure, type ToolCall } from '../model.js';
import { replayedName } from '../tools/tool.js';
import { isBlank } from './ai-sdk-prompt.js';

type SdkCall = Pick<
  TypedToolCall<ToolSet>,
  'toolCallId' | 'toolName' | 'input' | 'invalid' | 'error'
>;

/** Enough for the model to see what is wrong. */
const maxMalformedLength = 4_000;

/** The call with an id that is unique and that every provider accepts. */
export function toToolCall(
  { toolCallId, toolName: name, input, invalid, error }: SdkCall,
  earlier: readonly ToolCall[],
): ToolCall {
  const usable = toolCallId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  const isTaken = usable === '' || earlier.some(({ id }) => id === usable);
  const id = isTaken ? `${usable.slice(0, 56)}_${earlier.length + 1}` : usable;
  assertUsable(input);
  if (isJsonObject(input)) return { id, name, arguments: input };
  const isUnparsed = invalid === true && InvalidToolInputError.isInstance(error);
  const malformed = isUnparsed ? error.toolInput : textOf(input);
  return { id, name, arguments: input, malformed: malformed.slice(0, maxMalformedLength) };
}

/** The reply with the ids of `calls`, which are in its order, and without what providers reject. */
export function toReply(
  messages: readonly ModelMessage[],
  calls: readonly ToolCall[],
): Readonly<Record<string, unknown>>[] {
  const remaining = [...calls];
  return messages.flatMap((message): Readonly<Record<string, unknown>>[] => {
    // The library adds results of calls that it cannot parse.
    if (message.role !== 'assistant') return [];
    const { content } = message;
    if (typeof content === 'string') return isBlank(content) ? [] : [{ ...message }];
    const parts = content.flatMap((part): typeof content => {
      if (part.type === 'text') return isBlank(part.text) ? [] : [part];
      if (part.type !== 'tool-call') return [part];
      const call = remaining.shift();
      if (!call) return [];
      const replayed = { toolName: replayedName(call.name), input: replayedArguments(call) };
      return [{ ...part, toolCallId: call.id, ...replayed }];
    });
    return parts.length === 0 ? [] : [{ ...message, content: parts }];
  });
}

/** Providers demand an object. The model is shown what it wrote instead. */
function replayedArguments({ arguments: args, malformed }: ToolCall): object {
  return malformed === undefined && isJsonObject(args) ? args : { malformed: malformed ?? '' };
}

function isJsonObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/** Arguments that are nested too deeply cannot be serialized for the tool and the next model call. */
function assertUsable(args: unknown): void {
  const excess = typeof args === 'object' && args !== null && exceededLimit(args, maxArguments);
  if (typeof excess !== 'string') return;
  throw new ModelFailure(`the input of a tool call ${excess}`, { retryable: false });
}

/** A toolbox with one tool that always answers the same, and that records its calls. */
import type { RequestedCalls, Toolbox } from '../../server/models/converse.js';
import type { ToolCall, ToolDefinition } from '../../server/models/model.js';

interface AnsweringToolbox {
  called: ToolCall[];
  toolbox: Toolbox;
}

export function answeringToolbox(
  definition: ToolDefinition,
  { text, maxSteps }: { text: string; maxSteps: number },
): AnsweringToolbox {
  const called: ToolCall[] = [];
  const toolbox: Toolbox = {
    maxSteps,
    definitions: [definition],
    number: (calls) => calls.map((call, index) => ({ call, id: `call_${index + 1}` })),
    call: ({ calls }) => {
      called.push(...calls.map(({ call }) => call));
      return Promise.resolve({
        results: calls.map(({ call }) => ({ call, succeeded: true, text })),
      });
    },
  };
  return { called, toolbox };
}

/** The calls of a new reply, as a conversation hands them to its toolbox. */
export function requestedBy(toolbox: Toolbox, calls: readonly ToolCall[]): RequestedCalls {
  return {
    reply: [],
    text: '',
    calls: toolbox.number(calls),
    isBegun: false,
    results: new Map(),
    decisions: new Map(),
  };
}

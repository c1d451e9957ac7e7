/** Converts a prompt to the AI SDK's format, leaving out what providers reject. */
import {
  jsonSchema,
  type ModelMessage,
  Output,
  type SystemModelMessage,
  tool,
  type ToolSet,
} from 'ai';
import { replayedName } from '../tools/tool.js';
import type {
  Message,
  Prompt,
  RememberedCall,
  Step,
  ToolDefinition,
  ToolResult,
} from '../model.js';

/** Marks the end of a part of the prompt that later calls begin with. Only Anthropic needs it; others ignore it. */
const cached = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } as const;

/** The prompt in the form that the SDK takes. `strictTools`: what to say about strict mode, if anything. */
export function sdkPromptOf(prompt: Prompt, { strictTools }: { strictTools?: false }) {
  const reusesPrefix = prompt.isSession === true || (prompt.tools ?? []).length > 0;
  const system = systemOf(prompt);
  const messages = messagesOf(prompt);
  return {
    ...(system === '' ? {} : { system: marked({ role: 'system', content: system }, reusesPrefix) }),
    messages: messages.map((message, index) =>
      index === messages.length - 1 ? marked(message, reusesPrefix) : message,
    ),
    ...toolsOf(prompt, strictTools),
  };
}

function marked<Marked extends ModelMessage | SystemModelMessage>(
  message: Marked,
  isCached: boolean,
): Marked {
  return isCached ? { ...message, ...cached } : message;
}

function systemOf({ instructions, outputSchema }: Prompt): string {
  // Not every provider passes the schema on to its model, and not every model follows it.
  const format =
    outputSchema &&
    `Answer with nothing but JSON that fits this schema:\n${JSON.stringify(outputSchema)}`;
  return [instructions, format].filter((part) => part !== undefined && part !== '').join('\n\n');
}

/** Without `execute`, since the service calls the tools itself once the model's reply is complete. */
function toolsOf({ tools = [], mayCallTools = true }: Prompt, strict: false | undefined) {
  if (tools.length === 0) return {};
  const toolChoice = mayCallTools ? ('auto' as const) : ('none' as const);
  const toSdkTool = ({ name, description, parameters }: ToolDefinition) =>
    [
      name,
      tool({
        description,
        // OpenAI rejects a schema without properties.
        inputSchema: jsonSchema({ properties: {}, ...parameters }),
        ...(strict === undefined ? {} : { strict }),
      }),
    ] as const;
  // The library's types require optional properties to be present as undefined.
  return { tools: Object.fromEntries(tools.map(toSdkTool)) as ToolSet, toolChoice };
}

/** Sets only the format, because Output.object() would parse the whole text again with every delta. */
export function responseFormatOf({ outputSchema }: Prompt) {
  if (!outputSchema) return {};
  const { responseFormat } = Output.object({ schema: jsonSchema(outputSchema) });
  return { output: { ...Output.text(), responseFormat } };
}

function messagesOf({ summary, history, message, tools = [], steps = [] }: Prompt): ModelMessage[] {
  // Anthropic rejects tool calls in a request without tools.
  const hasTools = tools.length > 0;
  return alternating([
    // Not among the instructions, because it repeats what users and tools said.
    ...(summary === undefined ? [] : [summaryMessage(summary)]),
    ...history.flatMap((said) => messagesOfTurn(hasTools ? said : { ...said, calls: [] })),
    { role: 'user', content: message },
    ...steps.flatMap(messagesOfStep),
  ]);
}

function summaryMessage(summary: string): ModelMessage {
  return { role: 'user', content: `[Summary of the conversation so far: ${summary}]` };
}

function messagesOfTurn({ role, content, calls = [], isCut }: Message): ModelMessage[] {
  if (role === 'user') return isBlank(content) ? [] : [{ role: 'user', content }];
  const text = isCut === true ? `${content}\n\n[The answer was cut at the output limit.]` : content;
  return [
    ...(calls.length === 0 ? [] : messagesOfCalls(calls)),
    ...(isBlank(text) ? [] : [{ role: 'assistant' as const, content: text }]),
  ];
}

function messagesOfCalls(calls: readonly RememberedCall[]): ModelMessage[] {
  return [
    {
      role: 'assistant',
      content: calls.map(({ id, name, arguments: input }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: replayedName(name),
        input,
      })),
    },
    {
      role: 'tool',
      content: calls.map(({ id, name, succeeded, result }) =>
        toResultPart({ id, name, succeeded, text: result }),
      ),
    },
  ];
}

function messagesOfStep(step: Step): ModelMessage[] {
  if ('said' in step) return [askedForApproval, { role: 'user', content: step.said }];
  if ('correction' in step) {
    const said: ModelMessage = { role: 'assistant', content: step.response };
    const correction: ModelMessage = { role: 'user', content: step.correction };
    return isBlank(step.response) ? [correction] : [said, correction];
  }
  const results = step.results.map(({ call, succeeded, text }: ToolResult) =>
    toResultPart({ id: call.id, name: call.name, succeeded, text }),
  );
  // Created by the library in an earlier step.
  return [...(step.reply as unknown as ModelMessage[]), { role: 'tool', content: results }];
}

function toResultPart(result: { id: string; name: string; succeeded: boolean; text: string }) {
  const { id, name, succeeded, text } = result;
  return {
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: replayedName(name),
    output: { type: succeeded ? ('text' as const) : ('error-text' as const), value: text },
  };
}

/** Stands between the results of tools and what the user said with the approval. */
const askedForApproval: ModelMessage = {
  role: 'assistant',
  content: '[The user was asked to approve the tool calls.]',
};

/** Stands for a blank answer to the results of tools, so that the user's next message does not follow them. */
const emptyAnswer: ModelMessage = { role: 'assistant', content: '[The answer was empty.]' };

/** Mends what is left where a blank answer was left out: two messages of the user in a row, or one behind results of tools. Some chat templates reject both. */
function alternating(messages: ModelMessage[]): ModelMessage[] {
  return messages.reduce<ModelMessage[]>((merged, message) => {
    const last = merged.at(-1);
    const isTwice = last?.role === 'user' && message.role === 'user';
    // Both are texts: no message of a user has parts.
    if (isTwice && typeof last.content === 'string' && typeof message.content === 'string') {
      merged[merged.length - 1] = {
        role: 'user',
        content: `${last.content}\n\n${message.content}`,
      };
    } else {
      if (last?.role === 'tool' && message.role === 'user') merged.push(emptyAnswer);
      merged.push(message);
    }
    return merged;
  }, []);
}

/** Providers reject messages without a visible character. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

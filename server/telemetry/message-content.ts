/** Formats the texts of a model call as span attributes, in the JSON of the conventions for generative AI. */
import type { Attributes } from '@opentelemetry/api';
import type { StartedModelCall } from '../models/observer.js';
import { truncateContent } from './spans.js';

const maxMessagesLength = 8_192;

export function inputAttributes({
  instructions,
  history,
  message,
}: StartedModelCall['prompt']): Attributes {
  const earlier = history.map(({ role, content }) =>
    textMessage(role === 'agent' ? 'assistant' : role, content),
  );
  const system = JSON.stringify([{ type: 'text', content: instructions }]);
  return {
    ...(instructions !== '' && { 'gen_ai.system_instructions': truncateContent(system) }),
    'gen_ai.input.messages': latestAsJson([...earlier, textMessage('user', message)]),
  };
}

export function outputAttributes(response: string): Attributes {
  return { 'gen_ai.output.messages': JSON.stringify([textMessage('assistant', response)]) };
}

interface TextMessage {
  role: string;
  parts: { type: 'text'; content: string }[];
}

function textMessage(role: string, content: string): TextMessage {
  return { role, parts: [{ type: 'text', content: truncateContent(content) }] };
}

/** Keeps the latest messages that fit: truncating the text would break the JSON. */
function latestAsJson(messages: TextMessage[]): string {
  const kept: TextMessage[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    length += JSON.stringify(message).length;
    if (length > maxMessagesLength && kept.length > 0) break;
    kept.unshift(message);
  }
  return JSON.stringify(kept);
}

/** The options of commands that register a webhook. */
import type { Command } from 'commander';
import { eventTypes } from '../src/generated/service.js';
import type { EventType, WebhookRequest } from '../src/index.js';
import { listParser } from './option-parsers.js';

export interface WebhookOptions {
  url: string;
  events?: EventType[];
  agent?: string;
}

export function addEventOptions(command: Command): Command {
  return command
    .option(
      '--events <list>',
      `which events, out of ${eventTypes.join(', ')}`,
      listParser(eventTypes),
    )
    .option('--agent <agent>', 'only the events of this agent, by name or id');
}

export function webhookRequest({
  url,
  agent,
  events = eventTypes,
}: WebhookOptions): WebhookRequest {
  return { url, events, ...(agent !== undefined && { agent_id: agent }) };
}

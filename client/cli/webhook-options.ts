/** Shared by the commands that register a webhook. */
import type { Command } from 'commander';
import { eventTypes } from '../src/generated/service.js';
import { type CreatedWebhook, type EventType, InvalidRequestError } from '../src/index.js';
import type { Context } from './context.js';
import { HintedError } from './exit-codes.js';
import { isPrivateTarget } from './http-url.js';
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

/** Registers a webhook. The hints are added to the error if the service refuses a private target. */
export async function registerWebhook(
  { client, withSpinner }: Context,
  { url, agent, events = eventTypes }: WebhookOptions,
  hints: string[] = [],
): Promise<CreatedWebhook> {
  const { webhooks } = await client();
  const request = { url, events, ...(agent !== undefined && { agent_id: agent }) };
  try {
    return await withSpinner('Registering', webhooks.create(request));
  } catch (error) {
    const isRefused =
      error instanceof InvalidRequestError &&
      error.details.some(({ field }) => field === 'url') &&
      URL.canParse(url) &&
      isPrivateTarget(new URL(url));
    throw isRefused ? new HintedError(error, [privateTargetHint, ...hints]) : error;
  }
}

const privateTargetHint =
  'A service delivers only to public https URLs, unless its operator allows others for development: ALLOW_PRIVATE_TARGETS=true npm start';

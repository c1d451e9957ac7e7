/** Events on the command line, and the request for a webhook that receives them. */
import type { EventType, WebhookRequest } from '../src/index.js';

export const everyEvent: EventType[] = ['agent.completed', 'agent.failed'];

export interface WebhookWish {
  url: string;
  events?: EventType[];
  agent?: string;
}

export function requestFrom({ url, agent, events = everyEvent }: WebhookWish): WebhookRequest {
  return { url, events, ...(agent !== undefined && { agent_id: agent }) };
}

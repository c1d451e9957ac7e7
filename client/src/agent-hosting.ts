/** The fluent level: one method for each operation of the contract. */
import { createResources, type Resources } from './generated/resources.js';
import { settingsFrom, type ClientOptions } from './options.js';
import { createSender } from './send.js';

export type AgentHosting = Resources;

/** A client of the service; it needs nothing but an API key, from its options or from `AGENT_HOSTING_API_KEY`. */
export function agentHosting(options?: ClientOptions): AgentHosting {
  return createResources(...createSender(settingsFrom(options)));
}

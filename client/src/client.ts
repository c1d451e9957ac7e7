/** The fluent client: one method for each operation of the contract. */
import { createApiClient } from './api-client.js';
import { createResources, type Resources } from './generated/resources.js';
import { resolveOptions, type ClientOptions } from './options.js';

export interface AgentHosting extends Resources {
  /** A client with the options of this one, overridden by those given here; headers are merged. */
  withOptions: (options: ClientOptions) => AgentHosting;
}

/** Creates a client. It needs only an API key, from its options or from `AGENT_HOSTING_API_KEY`. */
export function agentHosting(options?: ClientOptions): AgentHosting {
  return {
    ...createResources(createApiClient(resolveOptions(options))),
    withOptions: (others) =>
      agentHosting({ ...options, ...others, headers: { ...options?.headers, ...others.headers } }),
  };
}

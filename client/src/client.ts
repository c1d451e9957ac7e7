/** The fluent client: one method for each operation of the contract. */
import { createApiClient } from './api-client.js';
import { type AgentMethods, withApprovals } from './approvals.js';
import { createResources, type Resources } from './generated/resources.js';
import { resolveOptions, type ClientOptions } from './options.js';

export interface AgentHosting extends Resources {
  /** Invoke agents, go on with them, and manage their draft configuration. The operator creates agents from manifests. */
  readonly agents: AgentMethods;
  /** A client with the options of this one, overridden by those given here; headers are merged. */
  withOptions: (options: ClientOptions) => AgentHosting;
}

/** Creates a client. It needs only an API key, from its options or from `AGENT_HOSTING_API_KEY`. */
export function agentHosting(options?: ClientOptions): AgentHosting {
  const resources = createResources(createApiClient(resolveOptions(options)));
  return {
    ...resources,
    agents: withApprovals(resources.agents),
    withOptions: (others) =>
      agentHosting({ ...options, ...others, headers: { ...options?.headers, ...others.headers } }),
  };
}

/** Agent-level security, as the configuration wants it: who bearers belong to, and what agents demand of requests. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { KeyCache } from '../domain/keys/key-cache.js';
import { createCodeVerifier } from '../domain/policy/one-time-code.js';
import { createPolicyCache } from '../domain/policy/policies.js';
import { createTokens } from '../domain/tokens/tokens.js';
import type { Infrastructure } from './infrastructure.js';
import type { Identify } from '../http/steps/authenticate.js';
import type { AgentPolicies } from '../http/steps/agent-policy.js';
import { fetchJson } from '../domain/tokens/fetch-json.js';
import { createNetworks } from '../lib/networks.js';
import type { TargetPolicy } from '../lib/target-address.js';

/** Where the providers of tokens may be. */
export function providerTargets({ allowPrivateTargets }: Config): TargetPolicy {
  return { allowPrivate: allowPrivateTargets };
}

export function createAgentPolicies(
  config: Config,
  { database, secrets }: Infrastructure,
  keyCache: KeyCache,
  log: Logger,
): { agentPolicies: AgentPolicies; identify: Identify } {
  const policies = createPolicyCache(database, (agentId, reasons) => {
    log.error({ agent_id: agentId, reasons }, 'security settings cannot be evaluated');
  });
  const tokens = createTokens(policies, (url) => fetchJson(url, providerTargets(config)));
  return {
    agentPolicies: {
      policies,
      verifyCode: createCodeVerifier(database, secrets),
      source: { proxies: createNetworks(config.trustProxy), header: config.clientCertHeader },
    },
    identify: async (bearer, agent) =>
      (await keyCache.identify(bearer)) ??
      (agent === undefined ? undefined : tokens.identify(bearer, agent)),
  };
}

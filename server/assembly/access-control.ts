/** Creates authentication (API keys and agents' tokens) and the agents' own security policies. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { tokenProviderTargets } from '../config/target-policies.js';
import { createKeyCache, type KeyCache } from '../domain/keys/key-cache.js';
import { trackKeyUse } from '../domain/keys/key-use.js';
import { createAgentOwners } from '../domain/policy/owners.js';
import { createCodeVerifier } from '../domain/policy/one-time-code.js';
import { createPolicyCache } from '../domain/policy/policies.js';
import { fetchJson } from '../domain/tokens/fetch-json.js';
import { createTokens } from '../domain/tokens/tokens.js';
import type { AgentPolicies } from '../http/steps/agent-policy.js';
import type { Identify } from '../http/steps/authenticate.js';
import { createNetworks } from '../lib/networks.js';
import type { Infrastructure } from './infrastructure.js';

export interface AccessControl {
  identify: Identify;
  keyCache: KeyCache;
  agentPolicies: AgentPolicies;
  close: () => Promise<void>;
}

export function createAccessControl(
  config: Config,
  { database, secrets }: Infrastructure,
  log: Logger,
): AccessControl {
  const keyUse = trackKeyUse(database, {
    onError: (error) => {
      log.warn({ err: error }, 'recording the last use of keys failed');
    },
  });
  const keyCache = createKeyCache(database, secrets, keyUse.record);
  const policies = createPolicyCache(database, (agentId, reasons) => {
    log.error({ agent_id: agentId, reasons }, 'security settings cannot be evaluated');
  });
  const targets = tokenProviderTargets(config);
  const tokens = createTokens(policies, (url) => fetchJson(url, targets));
  return {
    identify: async (bearer, agent) =>
      (await keyCache.identify(bearer)) ??
      (agent === undefined ? undefined : tokens.identify(bearer, agent)),
    keyCache,
    agentPolicies: {
      policies,
      agents: createAgentOwners(database),
      verifyCode: createCodeVerifier(database, secrets),
      source: { proxies: createNetworks(config.trustProxy), header: config.clientCertHeader },
    },
    close: keyUse.close,
  };
}

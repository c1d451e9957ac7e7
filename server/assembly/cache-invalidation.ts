/** Drops cached keys, policies and configurations when another instance changes them. */
import type { Logger } from 'pino';
import { listenForChanges } from '../store/postgres/changes.js';
import type { AccessControl } from './access-control.js';
import type { Infrastructure } from './infrastructure.js';
import type { InvocationService } from './invocations.js';

/** The same connection also receives the notifications that wake up waiting invocations. */
export function startCacheInvalidation(
  { directUrl }: Infrastructure,
  { keyCache, agentPolicies: { policies } }: AccessControl,
  invocationService: InvocationService,
  log: Logger,
): Promise<{ close: () => Promise<void> }> {
  return listenForChanges({
    url: directUrl,
    onKey: keyCache.invalidateKey,
    onAccount: (accountId) => {
      keyCache.invalidateAccount(accountId);
      policies.invalidateAccount(accountId);
      invocationService.configurations.forgetAccount(accountId);
    },
    onAgent: (agentId) => {
      invocationService.configurations.forget(agentId);
      policies.invalidateAgent(agentId);
    },
    channels: invocationService.channels,
    onReset: () => {
      keyCache.clear();
      invocationService.reset();
      policies.clear();
    },
    onError: (error) => {
      log.warn({ err: error }, 'listening for changes failed');
    },
  });
}

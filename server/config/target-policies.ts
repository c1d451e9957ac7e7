/** Decides which addresses the service may send requests to on behalf of accounts. */
import type { TargetPolicy } from '../lib/net/target-address.js';
import type { Config } from './config.js';

export function webhookTargets({ allowPrivateTargets, webhooks }: Config): TargetPolicy {
  return { allowPrivate: allowPrivateTargets, ports: webhooks.ports };
}

/** For the OAuth 2.0 providers that agents name in their manifests. */
export function tokenProviderTargets({ allowPrivateTargets }: Config): TargetPolicy {
  return { allowPrivate: allowPrivateTargets };
}

/** The requests that can be profiled, by name. */
import type { BenchEnvironment } from '../lib/environment.js';
import type { Load } from '../lib/load.js';
import { get, invoke, invokeInSession, invokeWithKey, pathOf } from '../lib/loads.js';
import { type BenchTenant, newTenant } from '../lib/tenant.js';
import { refusedCases } from '../refused/cases.js';

export function subjectsOf(
  environment: BenchEnvironment,
  url: string,
): Map<string, () => Promise<Load>> {
  const ofTenant = (load: (url: string, tenant: BenchTenant) => Load) => async () =>
    load(url, await newTenant(environment.database, environment.secrets, { agents: 50 }));
  return new Map([
    ['invoke', ofTenant(invoke)],
    ['session', ofTenant(invokeInSession)],
    ['idempotency', ofTenant(invokeWithKey)],
    ['get', ofTenant((_, { agentId, headers }) => get(url + pathOf('getAgent', agentId), headers))],
    ['list', ofTenant((_, { headers }) => get(url + pathOf('listAgents'), headers))],
    ...refusedCases(environment, url).map(
      ({ title, status, load }) =>
        [slug(title), async () => ({ ...(await load()), status })] as const,
    ),
  ]);
}

/** Such as `404-no-such-agent`. */
function slug(title: string): string {
  return title.toLowerCase().replaceAll(/\W+/g, '-');
}

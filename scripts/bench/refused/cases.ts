/** The requests that the service refuses, for every reason that most clients meet. */
import { generateApiKey } from '../../../server/lib/api-key.js';
import { newId } from '../../../server/lib/typeid.js';
import type { BenchEnvironment } from '../lib/environment.js';
import type { Load } from '../lib/load.js';
import { runLoad } from '../lib/loader.js';
import { get, pathOf, post } from '../lib/loads.js';
import { newTenant, type TenantOptions } from '../lib/tenant.js';

export interface RefusedCase {
  title: string;
  status: number;
  /** What to send in a round. */
  load: () => Promise<Load> | Load;
}

/** Failed authentication is limited to 100 at once for each address, so that within the limit addresses must change. */
const requestsPerAddress = 90;

/** Beyond these limits one request a second is let through, and the others are refused. */
const limits = { failures: 200, free: 110 };
const maxFailures = 20;

export function refusedCases(
  { database, secrets }: BenchEnvironment,
  url: string,
): readonly RefusedCase[] {
  const anyAgent = url + pathOf('getAgent', newId('agent'));
  const getAgent = async (options: TenantOptions) => {
    const { agentId, headers } = await newTenant(database, secrets, options);
    return get(url + pathOf('getAgent', agentId), headers);
  };
  const newHeaders = async () => (await newTenant(database, secrets)).headers;
  const unknownKey = { authorization: `Bearer ${generateApiKey()}` };
  return [
    {
      title: '401: no key',
      status: 401,
      load: () => ({ ...get(anyAgent), requestsPerAddress }),
    },
    {
      title: '401: an unknown key',
      status: 401,
      load: () => ({ ...get(anyAgent, unknownKey), requestsPerAddress }),
    },
    {
      title: '429: failed too often',
      status: 429,
      load: async () => {
        await exhaust(get(anyAgent, unknownKey), limits.failures);
        return { ...get(anyAgent, unknownKey), maxFailures };
      },
    },
    {
      title: '429: rate limit',
      status: 429,
      load: async () => {
        const load = await getAgent({ tier: 'free' });
        await exhaust(load, limits.free);
        return { ...load, maxFailures };
      },
    },
    { title: '403: permission', status: 403, load: () => getAgent({ permissions: ['write'] }) },
    {
      title: '400: invalid body',
      status: 400,
      load: async () => {
        const { agentId, headers } = await newTenant(database, secrets);
        return post(url + pathOf('invokeAgent', agentId), headers, { message: 5512 });
      },
    },
    {
      title: '404: no such path',
      status: 404,
      load: async () => get(`${url}/v1/nothing`, await newHeaders()),
    },
    {
      title: '404: no such agent',
      status: 404,
      load: async () => get(anyAgent, await newHeaders()),
    },
  ];
}

/** Sends as many requests as a limit allows at once. */
async function exhaust(load: Load, requests: number): Promise<void> {
  await runLoad({ ...load, connections: 1, maxRequests: requests, maxFailures: requests });
}

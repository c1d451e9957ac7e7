/** The reads that the history benchmark measures, by title. */
import type { OperationId } from '../../../generated/operations.js';
import type { Tenant } from '../lib/installation.js';
import type { LoadRequest } from '../lib/load.js';
import { invoke, pathOf } from '../lib/requests.js';

export type ReadOf = (tenant: Tenant) => LoadRequest;

const dayMs = 86_400_000;

/** From a rare word to one that most entries contain. The user and the session exist in the small history too. */
const searches = {
  'a rare word': { query: 'zucchini' },
  'an ordinary word': { query: 'address' },
  'the most frequent word': { query: 'order' },
  'three words': { query: 'order delivery address' },
  'ten words': {
    query: 'order delivery refund invoice address voucher harbour lantern walnut zucchini',
  },
  'words of one user': { query: 'order delivery', filter: { user_id: 'user-79' } },
  'words of one session': { query: 'order delivery', filter: { session_id: 'session-77' } },
  'punctuation only': { query: '?!' },
};

export function readsOf(): Record<string, ReadOf> {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  const get = (operation: OperationId, query: Record<string, string> = {}): ReadOf => {
    // Times are not escaped, since colons are allowed in a query.
    const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    return ({ agentId, headers }) => ({
      method: 'GET',
      path: `${pathOf(operation, agentId)}?${search.join('&')}`,
      headers,
    });
  };
  // Not aligned to buckets, so that the entries at both ends must be counted.
  const range = { start_time: ago(50.3 * dayMs), end_time: ago(3.7 * dayMs) };
  const metrics = (metric: string, granularity: string, ms: number) =>
    get('getMetrics', { metric, granularity, start_time: ago(ms), end_time: ago(0) });
  return {
    'logs: first page': get('getLogs'),
    'logs: first page of one level': get('getLogs', { level: 'error' }),
    'logs: total of a range': get('getLogs', { limit: '1', ...range }),
    'logs: total of a range of one level': get('getLogs', { limit: '1', level: 'error', ...range }),
    'logs: a deep page': get('getLogs', { offset: '7000' }),
    'metrics: a day by 1m': metrics('throughput', '1m', dayMs),
    'metrics: 5 days by 5m': metrics('error_rate', '5m', 5 * dayMs),
    'metrics: 60 days by 1h': metrics('response_time', '1h', 60 * dayMs),
    'list of agents': get('listAgents'),
    'list of deployments': get('listDeployments'),
    ...Object.fromEntries(
      Object.entries(searches).map(([title, body]): [string, ReadOf] => [
        `search: ${title}`,
        ({ agentId, headers }) => ({
          method: 'POST',
          path: pathOf('searchMemory', agentId),
          headers,
          body,
        }),
      ]),
    ),
    // Last, because its messages are added to the memory.
    'invoke in a session of 20 messages': (tenant) =>
      invoke(tenant, { context: { session_id: 'session-77' } }),
  };
}

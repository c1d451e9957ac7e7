/** The reads that are measured on a history. */
import type { Load } from '../lib/load.js';
import { get, pathOf, post } from '../lib/loads.js';
import type { BenchTenant } from '../lib/tenant.js';

export interface Read {
  title: string;
  load: (url: string, tenant: BenchTenant) => Load;
}

const dayMs = 86_400_000;

/** From a rare word to one that most entries contain. The user has said some of the words in the smallest history too. */
const searches = {
  'a rare word': { query: 'zucchini' },
  'a less rare word': { query: 'refund' },
  'an ordinary word': { query: 'address' },
  'a frequent word': { query: 'delivery' },
  'the most frequent word': { query: 'order' },
  'three words': { query: 'order delivery address' },
  'misspelt words': { query: 'delivry adress' },
  'words of one user': { query: 'order delivery', filter: { user_id: 'user-79' } },
  'words of one session': { query: 'order delivery', filter: { session_id: 'session-77' } },
  'signs, no word': { query: '?!' },
};

export function readsOfHistory(): Read[] {
  const time = (ago: number) => new Date(Date.now() - ago).toISOString();
  // Not aligned to buckets, so that the entries at both ends must be counted.
  const range = (from: number, to: number) => ({ start_time: time(from), end_time: time(to) });
  const read =
    (operation: 'getLogs' | 'getMetrics', query: Record<string, string>): Read['load'] =>
    (url, { agentId, headers }) => {
      // Times are sent as they are, since the contract allows their colons.
      const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      return get(`${url}${pathOf(operation, agentId)}?${search.join('&')}`, headers);
    };
  const logs = (query: Record<string, string> = {}) => read('getLogs', query);
  const metrics = (metric: string, granularity: string, from: number) =>
    read('getMetrics', { metric, granularity, ...range(from, 0) });
  return [
    { title: 'first page of logs', load: logs() },
    { title: 'logs of one level', load: logs({ level: 'error' }) },
    {
      title: 'total of a range of logs',
      load: logs({ limit: '1', ...range(50.3 * dayMs, 3.7 * dayMs) }),
    },
    {
      title: 'total of a range of one level',
      load: logs({ limit: '1', level: 'error', ...range(50.3 * dayMs, 3.7 * dayMs) }),
    },
    { title: 'a page deep in the logs', load: logs({ offset: '7000' }) },
    { title: 'metrics of a day at 1m', load: metrics('throughput', '1m', dayMs) },
    { title: 'metrics of 5 days at 5m', load: metrics('error_rate', '5m', 5 * dayMs) },
    { title: 'metrics of 60 days at 1h', load: metrics('response_time', '1h', 60 * dayMs) },
    ...Object.entries(searches).map(([title, body]): Read => ({
      title: `search: ${title}`,
      load: (url, { agentId, headers }) =>
        post(url + pathOf('searchMemory', agentId), headers, body),
    })),
  ];
}

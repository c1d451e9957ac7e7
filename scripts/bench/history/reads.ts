/** The reads that are measured on a history. */
import type { OperationId } from '../../../generated/operations.js';

export interface Read {
  operation: Extract<OperationId, 'getLogs' | 'getMetrics' | 'searchMemory'>;
  query?: Record<string, string>;
  body?: object;
}

const dayMs = 86_400_000;

const search = (query: string, filter?: object): Read => ({
  operation: 'searchMemory',
  body: { query, ...(filter && { filter }) },
});

/** From a rare word to one that most entries contain. */
const searches = {
  'a rare word': search('zucchini'),
  'a less rare word': search('refund'),
  'an ordinary word': search('address'),
  'a frequent word': search('delivery'),
  'the most frequent word': search('order'),
  'three words': search('order delivery address'),
  'misspelt words': search('delivry adress'),
  'words of one user': search('order delivery', { user_id: 'user-77' }),
};

export interface ReadGroup {
  name: string;
  /** Run in alternation; the median is over all of them. */
  reads: Read[];
  /** Whether it must meet the target; the others only show the details. */
  hasTarget: boolean;
}

export function readGroups(): ReadGroup[] {
  const time = (ago: number) => new Date(Date.now() - ago).toISOString();
  // Not aligned to buckets, so that the entries at both ends must be counted.
  const range = (from: number, to: number) => ({ start_time: time(from), end_time: time(to) });
  const group = (name: string, read: Read) => ({ name, reads: [read], hasTarget: true });
  const logs = (query: Record<string, string> = {}): Read => ({ operation: 'getLogs', query });
  const metrics = (metric: string, granularity: string, from: number): Read => ({
    operation: 'getMetrics',
    query: { metric, granularity, ...range(from, 0) },
  });
  return [
    group('first page of logs', logs()),
    group('logs of one level', logs({ level: 'error' })),
    group('total of a range of logs', logs({ limit: '1', ...range(50.3 * dayMs, 3.7 * dayMs) })),
    group('metrics of a day at 1m', metrics('throughput', '1m', dayMs)),
    group('metrics of 60 days at 1h', metrics('response_time', '1h', 60 * dayMs)),
    { name: 'memory search', reads: Object.values(searches), hasTarget: true },
    ...Object.entries(searches).map(([kind, read]) => ({
      name: `- ${kind}`,
      reads: [read],
      hasTarget: false,
    })),
  ];
}

/** What is read from a history to see how quick it is, each as a path below the agent, with a body where it has one. */

export interface Read {
  path: string;
  body?: object;
}

const dayMs = 86_400_000;

const search = (query: string, filter?: object): Read => ({
  path: 'memory/search',
  body: { query, ...(filter && { filter }) },
});

/** From rare words to those that are in most entries. */
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

export interface Subject {
  name: string;
  /** Done in turns; the median is of all of them together. */
  reads: Read[];
  /** Whether it is held against the target; what is not only shows what lies behind. */
  isJudged: boolean;
}

export function subjects(): Subject[] {
  const time = (ago: number) => new Date(Date.now() - ago).toISOString();
  // Not from bucket to bucket, so that the edges must be counted.
  const range = (from: number, to: number) => `start_time=${time(from)}&end_time=${time(to)}`;
  const judged = (name: string, path: string) => ({ name, reads: [{ path }], isJudged: true });
  return [
    judged('first page of logs', 'logs'),
    judged('logs of one level', 'logs?level=error'),
    judged('total of a range of logs', `logs?limit=1&${range(50.3 * dayMs, 3.7 * dayMs)}`),
    judged('metrics of a day at 1m', `metrics?metric=throughput&granularity=1m&${range(dayMs, 0)}`),
    judged(
      'metrics of 60 days at 1h',
      `metrics?metric=response_time&granularity=1h&${range(60 * dayMs, 0)}`,
    ),
    { name: 'memory search', reads: Object.values(searches), isJudged: true },
    ...Object.entries(searches).map(([kind, read]) => ({
      name: `- ${kind}`,
      reads: [read],
      isJudged: false,
    })),
  ];
}

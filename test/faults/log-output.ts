/** Standard output that blocks for a while, because its disk is full or its reader stalls. */
import { expect } from '@jest/globals';
import { scrape } from '../helpers/text/prometheus.js';
import type { Fault } from './faults.js';
import type { Instance } from './instances.js';

const token = 'a-token-for-metrics-4711';

/** The environment that makes an instance report dropped lines. */
export const logged = { LOG_LEVEL: 'info', METRICS_TOKEN: token };

/** Lasts until each instance has dropped log lines; writes continue meanwhile. */
export const blockedLog =
  (block: () => Promise<void> | void, unblock: () => Promise<void> | void): Fault =>
  async ({ all, key }) => {
    await block();
    await Promise.all(all.map((instance) => fillLog(instance, key)));
    await unblock();
    return 0;
  };

const maxRequests = 20_000;
/** Too long for a name, so it is rejected without the database; it is close to the longest path that the log keeps. */
const name = 'a'.repeat(240);

async function fillLog(instance: Instance, key: string): Promise<void> {
  const url = instance.url() ?? '';
  const headers = { authorization: `Bearer ${key}` };
  for (let sent = 0; (await droppedLines(url)) === 0; sent += 100) {
    if (sent > maxRequests) throw new Error(`${sent} requests, and no line of the log was dropped`);
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const signal = AbortSignal.timeout(20_000);
        const response = await fetch(`${url}/v1/agents/${name}`, { headers, signal });
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([400]));
  }
}

export async function droppedLines(url: string): Promise<number> {
  const exposition = await scrape(url, { token });
  return exposition.value('agent_hosting_log_lines_dropped_total');
}

interface LogLine {
  msg: string;
  dropped?: number;
}

/** Every line is complete, and the number of missing lines was reported. */
export async function expectRecovered(instance: Instance): Promise<void> {
  const lines = instance
    .printed()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogLine);
  const recoveries = lines.filter(({ msg }) => msg.startsWith('log lines were dropped'));
  const said = recoveries.reduce((sum, { dropped = 0 }) => sum + dropped, 0);
  expect(said).toBeGreaterThan(0);
  expect(said).toBe(await droppedLines(instance.url() ?? ''));
}

/** Compares how long the service takes to read from a short history and from a long one. */
import { operations } from '../../../generated/operations.js';
import { loadConfig } from '../../../server/config/config.js';
import { createLog } from '../../../server/config/log.js';
import { startService } from '../../../server/service.js';
import { median } from '../lib/statistics.js';
import type { BenchTenant } from '../lib/tenant.js';
import { type Read, type ReadGroup, readGroups } from './reads.js';

const warmUpRounds = 10;
const rounds = 51;
const targets = { ratio: 1.5, medianMs: 60 };

/** Prints the medians, and which of them miss the target. */
export async function compareReads(
  databaseUrl: string,
  masterKey: Buffer,
  small: BenchTenant,
  large: BenchTenant,
): Promise<void> {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: masterKey.toString('base64'),
    RATE_LIMIT_STORE: 'memory',
    PORT: '0',
    LOG_LEVEL: 'error',
  });
  const service = await startService(config, createLog('error'));
  try {
    const results: Medians[] = [];
    for (const group of readGroups()) {
      results.push(await measure(service.url, group, small, large));
    }
    print(results);
  } finally {
    await service.stop();
  }
}

/** In milliseconds. */
interface Medians extends ReadGroup {
  small: number;
  large: number;
}

/** In alternation, so that other work on the machine affects both equally. */
async function measure(
  url: string,
  group: ReadGroup,
  small: BenchTenant,
  large: BenchTenant,
): Promise<Medians> {
  const times: { small: number[]; large: number[] } = { small: [], large: [] };
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const read of group.reads) {
      const smallTime = await timeOf(url, small, read);
      const largeTime = await timeOf(url, large, read);
      if (round < 0) continue;
      times.small.push(smallTime);
      times.large.push(largeTime);
    }
  }
  return { ...group, small: median(times.small), large: median(times.large) };
}

async function timeOf(
  url: string,
  { agentId, headers }: BenchTenant,
  { operation, query = {}, body }: Read,
): Promise<number> {
  const { method, path } = operations[operation];
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const target = url + path.replace('{agent_id}', agentId);
  const start = performance.now();
  const response = await fetch(search.length === 0 ? target : `${target}?${search.join('&')}`, {
    method: method.toUpperCase(),
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${text}`);
  return performance.now() - start;
}

function print(results: Medians[]): void {
  console.log(`${'medians in ms'.padEnd(32)}  small  large`);
  for (const { name, hasTarget, small, large } of results) {
    const ratio = large / small;
    const isMet = ratio <= targets.ratio && large < targets.medianMs;
    const columns = [small, large].map((time) => time.toFixed(1).padStart(7)).join('');
    const verdict = hasTarget && !isMet ? '  misses the target' : '';
    console.log(`${name.padEnd(32)}${columns}  x ${ratio.toFixed(2)}${verdict}`);
  }
}

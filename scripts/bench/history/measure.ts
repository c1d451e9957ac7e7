/** Compares how long the service takes to read from a short history and from a long one. */
import { loadConfig } from '../../../server/config/config.js';
import { createLog } from '../../../server/config/log.js';
import { startService } from '../../../server/service.js';
import { type Read, type Subject, subjects } from './reads.js';

const warmUps = 10;
const rounds = 51;
const targets = { ratio: 1.5, medianMs: 60 };

/** An agent, and a key that may read it. */
export interface Target {
  id: string;
  key: string;
}

/** Prints the medians, and which of them miss the target. */
export async function compareReads(
  databaseUrl: string,
  masterKey: Buffer,
  small: Target,
  large: Target,
): Promise<void> {
  report(await measure(databaseUrl, masterKey, small, large));
}

interface Figures extends Subject {
  small: number;
  large: number;
}

/** In milliseconds. The two take turns, so that whatever else the machine does befalls both alike. */
async function measure(
  databaseUrl: string,
  masterKey: Buffer,
  small: Target,
  large: Target,
): Promise<Figures[]> {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: masterKey.toString('base64'),
    RATE_LIMIT_STORE: 'memory',
    PORT: '0',
    LOG_LEVEL: 'error',
  });
  const service = await startService(config, createLog('error'));
  try {
    const figures: Figures[] = [];
    for (const subject of subjects()) {
      const times: { small: number[]; large: number[] } = { small: [], large: [] };
      for (let round = -warmUps; round < rounds; round += 1) {
        for (const read of subject.reads) {
          const one = await timeOf(service.url, small, read);
          const other = await timeOf(service.url, large, read);
          if (round < 0) continue;
          times.small.push(one);
          times.large.push(other);
        }
      }
      figures.push({ ...subject, small: median(times.small), large: median(times.large) });
    }
    return figures;
  } finally {
    await service.stop();
  }
}

async function timeOf(url: string, { id, key }: Target, { path, body }: Read): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${url}/v1/agents/${id}/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function report(figures: Figures[]): void {
  console.log(`${'medians in ms'.padEnd(32)}  small  large`);
  for (const { name, isJudged, small, large } of figures) {
    const ratio = large / small;
    const isMet = ratio <= targets.ratio && large < targets.medianMs;
    const columns = [small, large].map((figure) => figure.toFixed(1).padStart(7)).join('');
    const verdict = isJudged && !isMet ? '  misses the target' : '';
    console.log(`${name.padEnd(32)}${columns}  x ${ratio.toFixed(2)}${verdict}`);
  }
}

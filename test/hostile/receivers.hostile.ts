/**
 * `npm run test:hostile`: no webhook receiver or `http/` agent of a free account slows down the service for the others.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { percentile } from '../../scripts/bench/lib/statistics.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import {
  type ServiceProcess,
  startProgram,
  startServiceProcess,
} from '../helpers/programs/process.js';
import { apiClient, send } from '../helpers/service/api.js';
import { environmentFor, type Tenant, useService, useTenant } from '../helpers/service/service.js';
import { createNeighbour, type Neighbour } from './neighbour.js';
import { probeDuring } from './probe.js';

const longestWaitMs = 250;
/** How long the others are observed, at least. */
const attackMs = 8_000;
const invocations = 20;
const webhooks = 10;

// This service creates the accounts; the service under attack is another process.
const observer = useService({
  WORKER: 'off',
  ASYNC_CONCURRENCY: '0',
  ALLOW_PRIVATE_TARGETS: 'true',
});
const friendly = useTenant(observer);

const receiver = useFixture(
  async () => {
    const program = startProgram('test/hostile/receiver.ts', [], { hasOwnSession: true });
    const [, url = ''] = await program.printed(/receiver at (\S+)\n/);
    return { url, end: program.end };
  },
  ({ end }) => end('SIGKILL'),
);

const service = useFixture<ServiceProcess>(
  () =>
    startServiceProcess({
      environment: {
        ...environmentFor(observer),
        ALLOW_PRIVATE_TARGETS: 'true',
        LOG_LEVEL: 'error',
        // A hostile account has many hosts.
        WEBHOOK_HOST_CONCURRENCY: '1000',
      },
    }),
  async (program) => void (await program.end('SIGTERM')),
);
const neighbour = useFixture<Neighbour>(() => createNeighbour(service.url, friendly));

const rows: string[] = [];

beforeAll(async () => {
  // Warms up the code and the caches: the same work, with a receiver that behaves.
  const friend = await observer.tenant({ tier: 'free' });
  await attack(friend, `${receiver.url}/nothing`);
});

afterAll(() => {
  process.stdout.write(`${rows.join('\n')}\n`);
});

test.each(['informational', 'chunks', 'extensions', 'headers', 'bodies'])(
  'receivers and agents that send endless %s',
  async (kind) => {
    const hostile = await observer.tenant({ tier: 'free' });
    const { longestMs, latencies, failures } = await observe(() =>
      Promise.all([attack(hostile, `${receiver.url}/${kind}`), delay(attackMs)]),
    );
    const [median, high] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(0));
    rows.push(
      `endless ${kind}: others waited for at most ${longestMs.toFixed(0)} ms, ` +
        `${latencies.length} requests of another tenant: median ${median} ms, p99 ${high} ms, ` +
        `longest ${Math.max(...latencies).toFixed(0)} ms, ${failures.length} failed`,
    );
    expect(failures).toEqual([]);
    expect(longestMs).toBeLessThan(longestWaitMs);
  },
);

/** Resolves when every invocation has been answered and every delivery has been attempted. */
async function attack(hostile: Tenant, url: string): Promise<void> {
  const api = apiClient(service.url, hostile.key);
  for (let n = 0; n < webhooks; n += 1) {
    await api.expect('createWebhook', 201, { body: { url, events: ['agent.completed'] } });
  }
  const echo = await hostile.newAgent();
  const hanging = await hostile.newAgent({
    model: 'http/hostile',
    endpoint: { url },
    timeoutMs: 10_000,
  });
  const invoke = async (agent_id: string) => {
    const response = await send(service.url, 'invokeAgent', {
      path: { agent_id },
      headers: { authorization: `Bearer ${hostile.key}` },
      body: { message: 'hello' },
    });
    await response.arrayBuffer();
    return response.status;
  };
  const agents = Array.from({ length: webhooks / 2 }, () => invoke(hanging.id));
  for (let n = 0; n < invocations; n += 1) expect(await invoke(echo.id)).toBe(200);
  for (const status of await Promise.all(agents)) expect([502, 504]).toContain(status);
  const { delivery } = observer.database.prisma;
  const { accountId } = hostile;
  await eventually(async () => {
    const attempted = await delivery.count({ where: { accountId, attempts: { gt: 0 } } });
    expect(attempted).toBe(invocations * webhooks);
  }, 30_000);
  await observer.database.prisma.webhook.deleteMany({ where: { accountId } });
}

/** What the others experience in the meantime. */
async function observe(meanwhile: () => Promise<unknown>) {
  const { result, longestMs } = await probeDuring(service, async () => {
    const over = new AbortController();
    const working = neighbour.work(over.signal);
    await meanwhile().finally(() => {
      over.abort();
    });
    return working;
  });
  return { longestMs, ...result };
}

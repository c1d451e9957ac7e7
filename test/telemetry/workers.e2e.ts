/** `/metrics` with WORKERS: the same response for all processes, whichever of them is scraped. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { apiClient, statusAt } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import {
  type ServiceProcess,
  startBuilt,
  startServiceProcess,
} from '../helpers/programs/process.js';
import { type Exposition, scrape } from '../helpers/text/prometheus.js';
import { startReceiver } from '../helpers/servers/receiver.js';
import { environmentFor, useAgent, useService, useTenant } from '../helpers/service/service.js';
import { message } from '../invocations/service-with-model.js';

// This service creates the accounts; the processes under test are others on its database.
const observer = useService({
  WORKER: 'off',
  ASYNC_CONCURRENCY: '0',
  ALLOW_PRIVATE_TARGETS: 'true',
});
const tenant = useTenant(observer);
const agent = useAgent(tenant);

const timeoutMs = 120_000;
const token = 'a-token-for-metrics-4711';
let service: ServiceProcess | undefined;

afterEach(async () => {
  await service?.end('SIGTERM');
  service = undefined;
});

interface Running extends ServiceProcess {
  /** Scrapes through the service port, which any worker may answer, and through the primary's metrics port. */
  scrapes: (() => Promise<Exposition>)[];
  workers: () => Promise<number[]>;
}

async function start(): Promise<Running> {
  const environment = {
    ...environmentFor(observer),
    WORKERS: '2',
    METRICS_TOKEN: token,
    METRICS_PORT: '0',
  };
  const running = await startServiceProcess({ environment });
  service = running;
  const [, metricsUrl = ''] = await running.printed(/Metrics are at (http[^\s"]+)/);
  return {
    ...running,
    scrapes: [running.url, metricsUrl].map((url) => () => scrape(url, { token })),
    workers: async () => {
      const { stdout } = await promisify(execFile)('pgrep', ['-P', String(running.pid)]);
      return stdout.trim().split('\n').map(Number);
    },
  };
}

/** Each on a new connection, so that both workers get some. */
async function invoke({ url }: ServiceProcess, times: number): Promise<void> {
  const api = apiClient(url, tenant.key);
  const call = { ...message(agent.id, 'Hello'), headers: { connection: 'close' } };
  for (let count = 0; count < times; count += 1) await api.expect('invokeAgent', 200, call);
}

const invocations = (exposition: Exposition) =>
  exposition.value('agent_hosting_invocations_total', { agent_id: agent.id, outcome: 'succeeded' });
const responding = (exposition: Exposition) =>
  exposition.value('agent_hosting_workers', { state: 'responding' });

test(
  'adds up the counters of all processes, and counts shared state once',
  async () => {
    const running = await start();
    await invoke(running, 20);
    for (const scrapeOnce of running.scrapes) {
      await eventually(async () => {
        const exposition = await scrapeOnce();
        expect(invocations(exposition)).toBe(20);
        expect(responding(exposition)).toBe(2);
        expect(exposition.value('agent_hosting_build_info')).toBe(1);
        const startedAt = exposition.value('process_start_time_seconds');
        expect(Math.abs(Date.now() / 1000 - startedAt)).toBeLessThan(timeoutMs / 1000);
        const [open, most] = ['process_open_fds', 'process_max_fds'];
        expect(exposition.value(open)).toBeLessThan(exposition.value(most));
        const task = { task: 'fold usage' };
        const succeeded = 'agent_hosting_task_last_success_timestamp_seconds';
        // The value of one worker, not the sum of both.
        expect(exposition.value(succeeded, task)).toBeLessThanOrEqual(Date.now() / 1000);
        expect(exposition.select('agent_hosting_database_up')).toHaveLength(1);
        const count = 'agent_hosting_http_request_duration_seconds_count';
        expect(exposition.value(count, { operation: 'invokeAgent' })).toBe(20);
      });
    }
  },
  timeoutMs,
);

test(
  'continues with the remaining processes when one is killed',
  async () => {
    const running = await start();
    const [killed = 0] = await running.workers();
    process.kill(killed, 'SIGKILL');
    await eventually(async () => {
      const workers = await running.workers();
      expect(workers).toHaveLength(2);
      expect(workers).not.toContain(killed);
      expect(await statusAt(`${running.url}/readyz`)).toBe(200);
    }, 30_000);
    await invoke(running, 10);
    for (const scrapeOnce of running.scrapes) {
      await eventually(async () => {
        const exposition = await scrapeOnce();
        expect(responding(exposition)).toBe(2);
        expect(invocations(exposition)).toBe(10);
      });
    }
  },
  timeoutMs,
);

test(
  'still reports shared state while one process hangs, and reports that one does',
  async () => {
    const running = await start();
    await invoke(running, 20);
    const [, scrapeOnce] = running.scrapes;
    if (!scrapeOnce) throw new Error('There is no scrape.');
    const [hung = 0] = await running.workers();
    process.kill(hung, 'SIGSTOP');
    try {
      const exposition = await scrapeOnce();
      expect(responding(exposition)).toBe(0);
      expect(exposition.value('agent_hosting_workers', { state: 'running' })).toBe(2);
      expect(exposition.select('agent_hosting_database_up')).toHaveLength(1);
    } finally {
      process.kill(hung, 'SIGCONT');
    }
    await eventually(async () => {
      const exposition = await scrapeOnce();
      expect(responding(exposition)).toBe(2);
      expect(invocations(exposition)).toBe(20);
    });
  },
  timeoutMs,
);

test(
  'a process that only delivers events has its own',
  async () => {
    const receiver = await startReceiver();
    await tenant.api.expect('createWebhook', 201, {
      body: { url: receiver.url, events: ['agent.completed'] },
    });
    const worker = await startBuilt('server/worker', [], {
      environment: {
        ...environmentFor(observer),
        ALLOW_PRIVATE_TARGETS: 'true',
        METRICS_PORT: '0',
      },
    });
    try {
      const [, url = ''] = await worker.printed(/Metrics are at (http[^\s"]+)/);
      await tenant.api.expect('invokeAgent', 200, message(agent.id, 'Hello'));
      await receiver.got(1);
      await eventually(async () => {
        const name = 'agent_hosting_delivery_attempts_total';
        expect((await scrape(url)).value(name, { outcome: 'delivered' })).toBe(1);
      });
    } finally {
      expect(await worker.end('SIGTERM')).toBe(0);
      await receiver.close();
    }
  },
  timeoutMs,
);

/** Webhook deliveries: throughput, and the latency of an event. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Tenant, withInstallation } from './lib/installation.js';
import { runLoad } from './lib/load.js';
import { type BenchContext, figure, type Figure } from './lib/report.js';
import { connections, invoke, pathOf } from './lib/requests.js';
import { median, percentile } from './lib/statistics.js';
import { targets } from './lib/targets.js';
import type { Arrivals } from './servers/receiver.js';

const accounts = 5;
const webhooksPerAccount = 10;
const invocations = 500;
/** Each is sent when the previous one has been delivered. */
const singleEvents = 40;

export function benchDeliveries({ rounds, progress }: BenchContext): Promise<Figure[]> {
  return withInstallation(async ({ start, newTenant }) => {
    const receiver = await start({}, ['scripts/bench/servers/receiver.ts']);
    const { url } = await start({
      ALLOW_PRIVATE_TARGETS: 'true',
      // All receivers are on one host.
      WEBHOOK_HOST_CONCURRENCY: '1000',
    });
    const tenants: Tenant[] = [];
    for (let n = 0; n < accounts; n += 1) {
      const tenant = await newTenant();
      tenants.push(tenant);
      for (let hook = 0; hook < webhooksPerAccount; hook += 1) {
        await createWebhook(url, tenant, `${receiver.url}/${n}/${hook}`);
      }
    }
    const deliver = async (requests: number): Promise<Arrivals> => {
      const send = tenants.map((tenant) => invoke(tenant));
      await runLoad({ url, connections, requests, send });
      return arrivalsAt(receiver.url, requests * webhooksPerAccount);
    };
    const deliverOne = async (tenant: Tenant): Promise<Arrivals> => {
      const { method, path, headers, body } = invoke(tenant);
      await fetch(url + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return arrivalsAt(receiver.url, webhooksPerAccount);
    };
    progress('warm-up');
    await deliver(invocations);
    const perSecond: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}`);
      const at = (await deliver(invocations)).at.toSorted((a, b) => a - b);
      perSecond.push((at.length / ((at.at(-1) ?? NaN) - (at[0] ?? NaN))) * 1000);
    }
    progress('one event at a time');
    const latencies: number[] = [];
    for (let n = 0; n < singleEvents; n += 1) {
      const [tenant] = tenants;
      if (tenant) latencies.push(...(await deliverOne(tenant)).latencies);
    }
    return [
      figure('deliveries', median(perSecond), 'a second', targets.deliveries.perSecond),
      figure('one event at a time: to its receiver, p50', median(latencies), 'ms'),
      figure('one event at a time: to its receiver, p99', percentile(latencies, 0.99), 'ms'),
    ];
  });
}

async function createWebhook(url: string, { headers }: Tenant, target: string): Promise<void> {
  const response = await fetch(url + pathOf('createWebhook'), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: target, events: ['agent.completed'] }),
  });
  if (!response.ok) throw new Error(`The webhook was not created: ${await response.text()}`);
}

/** Waits until this many deliveries have arrived. */
async function arrivalsAt(receiver: string, count: number): Promise<Arrivals> {
  const all: Arrivals = { at: [], latencies: [] };
  while (all.at.length < count) {
    await delay(200);
    const { at, latencies } = (await (await fetch(receiver)).json()) as Arrivals;
    all.at.push(...at);
    all.latencies.push(...latencies);
  }
  return all;
}

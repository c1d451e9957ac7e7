/** Real processes that are stopped or killed after an agent has called a tool: the run goes on elsewhere, and the tool is called once. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { agentHosting } from '../../client/src/index.js';
import { apiClient, type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { type CuttingProxy, startCuttingProxy } from '../helpers/servers/cutting-proxy.js';
import { environmentFor } from '../helpers/service/service.js';
import { hang } from '../helpers/model-provider/failures.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import { message, recordsOf, recordsOnceFinished } from './service-with-model.js';
import { after, streamClientOf } from './stream-client.js';
import { refund, type RefundAgent, tokens, useToolFixtures } from './tool-fixtures.js';

// The first instance runs no asynchronous invocations.
const { fixture, shop, manifestOf, newRefundAgent, results } = useToolFixtures({
  ASYNC_CONCURRENCY: '0',
});
const connect = streamClientOf(fixture);
const processes: ServiceProcess[] = [];
const proxies: CuttingProxy[] = [];

afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
  await Promise.all(processes.splice(0).map((service) => service.end('SIGKILL')));
});

async function start(): Promise<ServiceProcess> {
  const started = await startServiceProcess({
    environment: {
      ...environmentFor(fixture.service),
      ...tokens,
      LOCAL_BASE_URL: `${fixture.provider.url}/v1`,
      ALLOW_PRIVATE_TARGETS: 'true',
      SHUTDOWN_TIMEOUT_MS: '1500',
      WORKER: 'off',
    },
  });
  processes.push(started);
  return started;
}

const keyed = ({ name }: RefundAgent, headers: Record<string, string> = {}): Call =>
  message(name, 'Refund order 7.', { headers: { 'idempotency-key': randomUUID(), ...headers } });

const refunded = { status: 'completed', response: 'It is refunded.' };

/** What a repeat gets from the surviving instance once the lease of the dead one has expired. */
const repeated = (call: Call) =>
  eventually(async () => (await fixture.tenant.api.expect('invokeAgent', 200, call)).data, 30_000);

async function toolEntries({ id }: RefundAgent): Promise<string[]> {
  const entries = await fixture.service.database.prisma.logEntry.findMany({
    where: { agentId: id, message: { startsWith: 'Tool' } },
    orderBy: [{ loggedAt: 'asc' }, { id: 'asc' }],
  });
  return entries.map(({ message: text }) => text.replace(/after \d+ ms/, 'in time'));
}

/** The refund has been made, its end is in the log, and the model thinks about it. */
async function untilRefunded(agent: RefundAgent): Promise<void> {
  await fixture.provider.asked(2, 30_000);
  await eventually(async () => {
    expect(await toolEntries(agent)).toEqual([
      'Tool refund called',
      'Tool refund succeeded in time',
    ]);
  });
}

const apiOf = ({ url }: ServiceProcess) => apiClient(url, fixture.tenant.key);

const done = answer(chatCompletions, ['It is refunded.']);

describe.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])('%s after a refund', (signal) => {
  async function begin() {
    fixture.provider.behave(refund, hang, done);
    return { doomed: await start(), agent: await newRefundAgent() };
  }

  test('lets the repeat of a plain request go on', async () => {
    const { doomed, agent } = await begin();
    const call = keyed(agent);
    const asking = apiOf(doomed)
      .call('invokeAgent', call)
      .catch(() => undefined);
    await untilRefunded(agent);
    await doomed.end(signal);
    const first = await asking;
    if (signal === 'SIGTERM') {
      expect(first).toMatchObject({
        status: 503,
        body: {
          error: {
            code: 'unavailable',
            message: expect.stringContaining('goes on'),
            retry_after: 1,
          },
        },
      });
      expect(JSON.stringify(first?.body)).not.toContain('retryable');
    }
    const result = await repeated(call);
    expect(result).toMatchObject(refunded);
    expect(await repeated(call)).toEqual(result);
    // The log of the run is one, under the id of the request that began it.
    const { logs } = await recordsOf(fixture.service, result.request_id);
    expect(logs.map(({ message: text }) => text)).toContain('Tool refund called');
    expect(shop.received).toHaveLength(1);
    expect(shop.keys).toEqual([`${result.request_id}.call_1`]);
    expect(await fixture.service.database.prisma.runStep.count()).toBe(0);
  }, 120_000);

  test('lets the repeat of a stream begin with what was done, and go on', async () => {
    const { doomed, agent } = await begin();
    const call = keyed(agent);
    const client = await connect(call, doomed);
    const started = await client.next();
    await untilRefunded(agent);
    await doomed.end(signal);
    const resumed = await connect(after(call, started.id));
    const lost = { code: 'unavailable', message: expect.stringContaining('Repeat the request') };
    const end = (await resumed.rest()).at(-1);
    expect(end).toMatchObject({ event: 'error' });
    if (signal === 'SIGKILL') expect(end).toMatchObject({ data: lost });
    const { url } = fixture.service;
    const events = await eventually(async () => {
      const again = await streamed(url, fixture.tenant.key, call);
      expect(again.events.at(-1)).toMatchObject({ event: 'done', data: refunded });
      return again.events;
    }, 30_000);
    expect(events.map(({ event }) => event)).toEqual(['tool', 'tool', 'delta', 'done']);
    expect(events[1]).toMatchObject({ data: { call_id: 'call_1', status: 'succeeded' } });
    expect(shop.received).toHaveLength(1);
  }, 120_000);

  test('lets another worker go on with an asynchronous request', async () => {
    const { doomed, agent } = await begin();
    const call = keyed(agent, { prefer: 'respond-async' });
    const { data } = await apiOf(doomed).expect('invokeAgent', 202, call);
    await untilRefunded(agent);
    await doomed.end(signal);
    const survivor = await start();
    const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'succeeded' });
    expect(await repeated(call)).toMatchObject(refunded);
    await survivor.end('SIGTERM');
    expect(shop.received).toHaveLength(1);
  }, 120_000);

  test('makes the SDK refund once, and get the answer', async () => {
    const { doomed, agent } = await begin();
    const survivor = await start();
    // The first connection goes to the second target.
    const targets = [survivor.url, doomed.url];
    const proxy = await startCuttingProxy({ targets, bytesUntilCut: () => Infinity });
    proxies.push(proxy);
    const client = agentHosting({
      apiKey: fixture.tenant.key,
      baseUrl: proxy.url,
      maxRetries: 20,
    });
    const invoking = client.agents.invoke(agent.name, { message: 'Refund order 7.' });
    invoking.catch(() => undefined);
    await untilRefunded(agent);
    await doomed.end(signal);
    expect(await invoking).toMatchObject(refunded);
    expect(shop.received).toHaveLength(1);
    expect(fixture.provider.received).toHaveLength(3);
  }, 180_000);
});

/** Kills the process while the tool has the call. Returns the result of the repeat. */
async function killDuring(tool: object) {
  fixture.provider.behave(refund, done);
  shop.isSilent = true;
  const [refundTool] = manifestOf('any').tools.http;
  const [doomed, agent] = [
    await start(),
    await newRefundAgent({}, { http: [{ ...refundTool, ...tool }] }),
  ];
  const call = keyed(agent);
  const asking = apiOf(doomed)
    .call('invokeAgent', call)
    .catch(() => undefined);
  await eventually(() => {
    expect(shop.received).toHaveLength(1);
  });
  await doomed.end('SIGKILL');
  await asking;
  expect(await toolEntries(agent)).toEqual(['Tool refund called']);
  shop.isSilent = false;
  return repeated(call);
}

describe('a kill during a call', () => {
  test('lets the model know that its effect is unknown', async () => {
    expect(await killDuring({})).toMatchObject(refunded);
    expect(results()).toEqual([expect.stringContaining('Its effect is unknown')]);
    expect(shop.received).toHaveLength(1);
  }, 120_000);

  test('repeats it with the same key if the manifest allows that', async () => {
    expect(await killDuring({ repeat: true })).toMatchObject(refunded);
    expect(results()).toEqual([expect.stringContaining('refunded')]);
    expect(shop.received).toHaveLength(2);
    expect(new Set(shop.keys).size).toBe(1);
  }, 120_000);
});

/** Real processes that are stopped or killed after an agent has called a tool: the tool is called once, however the request is repeated. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { agentHosting, UnavailableError } from '../../client/src/index.js';
import { apiClient, type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { type CuttingProxy, startCuttingProxy } from '../helpers/servers/cutting-proxy.js';
import { environmentFor } from '../helpers/service/service.js';
import { hang } from '../helpers/model-provider/failures.js';
import { streamed } from './event-reader.js';
import { message, recordsOnceFinished } from './service-with-model.js';
import { after, streamClientOf } from './stream-client.js';
import { refund, type RefundAgent, tokens, useToolFixtures } from './tool-fixtures.js';

// The first instance runs no asynchronous invocations.
const { fixture, shop, newRefundAgent } = useToolFixtures({ ASYNC_CONCURRENCY: '0' });
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

const stored = {
  code: 'unavailable',
  retryable: false,
  message: expect.stringMatching(/^The service was interrupted .* had called tools/),
};

/** What a repeat gets from the surviving instance once the lease of the dead one has expired. */
const repeated = (call: Call) =>
  eventually(async () => {
    const { status, body } = await fixture.tenant.api.call('invokeAgent', call);
    if (status !== 503) throw new Error(`The answer is ${status}: ${JSON.stringify(body)}`);
    return (body as ErrorResponse).error;
  }, 30_000);

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

describe.each<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])('%s after a refund', (signal) => {
  async function begin() {
    fixture.provider.behave(refund, hang);
    return { doomed: await start(), agent: await newRefundAgent() };
  }

  test('leaves the failure of a plain request under its key', async () => {
    const { doomed, agent } = await begin();
    const call = keyed(agent);
    const asking = apiOf(doomed)
      .call('invokeAgent', call)
      .catch(() => undefined);
    await untilRefunded(agent);
    await doomed.end(signal);
    const first = await asking;
    if (signal === 'SIGTERM') expect(first).toMatchObject({ status: 503, body: { error: stored } });
    expect(await repeated(call)).toEqual(stored);
    expect(shop.received).toHaveLength(1);
  }, 120_000);

  test('leaves the failure of a stream under its key and at its end', async () => {
    const { doomed, agent } = await begin();
    const call = keyed(agent);
    const client = await connect(call, doomed);
    const started = await client.next();
    await untilRefunded(agent);
    await doomed.end(signal);
    const resumed = await connect(after(call, started.id));
    expect((await resumed.rest()).at(-1)).toMatchObject({ event: 'error', data: stored });
    expect(await repeated(call)).toEqual(stored);
    const { url } = fixture.service;
    const again = await streamed(url, fixture.tenant.key, after(call, '0'));
    const events = again.events.map(({ event }) => event);
    // Whether the tool's end was stored before the process ended is a matter of milliseconds.
    expect([events[0], events.at(-1)]).toEqual(['tool', 'error']);
    expect(events).not.toContain('done');
    expect(shop.received).toHaveLength(1);
  }, 120_000);

  test('leaves the failure of an asynchronous request under its key, once', async () => {
    const { doomed, agent } = await begin();
    const call = keyed(agent, { prefer: 'respond-async' });
    const { data } = await apiOf(doomed).expect('invokeAgent', 202, call);
    await untilRefunded(agent);
    await doomed.end(signal);
    const survivor = await start();
    const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'unavailable' });
    expect(await repeated(call)).toEqual(stored);
    await survivor.end('SIGTERM');
    expect(shop.received).toHaveLength(1);
  }, 120_000);

  test('makes the SDK refund once', async () => {
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
    const failed = invoking.catch((error: unknown) => error);
    await untilRefunded(agent);
    await doomed.end(signal);
    const error = await failed;
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({ message: expect.stringContaining('had called tools') });
    expect(shop.received).toHaveLength(1);
    expect(fixture.provider.received).toHaveLength(2);
  }, 180_000);
});

test('a kill during the refund leaves its beginning in the log', async () => {
  fixture.provider.behave(refund, hang);
  shop.isSilent = true;
  const [doomed, agent] = [await start(), await newRefundAgent()];
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
  expect(await repeated(call)).toEqual(stored);
  expect(shop.received).toHaveLength(1);
}, 120_000);

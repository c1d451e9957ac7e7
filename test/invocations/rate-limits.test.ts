/** A burst of invocations through a provider with a low rate limit: every one is answered, and accounts take turns. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { agentHosting } from '../../client/src/index.js';
import type { Tenant } from '../helpers/service/service.js';
import { eventually } from '../helpers/eventually.js';
import { refusal, status } from '../helpers/model-provider/failures.js';
import { message, recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

/** The limiter of each model has a past, so that each test needs a model of its own. */
const newAgent = (tenant: Tenant = fixture.tenant, model = `local/${randomUUID()}`) =>
  tenant.newAgent({ model, timeoutMs: 60_000 });

const clientOf = ({ key }: Tenant) => agentHosting({ apiKey: key, baseUrl: fixture.service.url });

const burst = Array.from({ length: 30 }, (_, index) => `Question ${index + 1}`);
/** The provider counts refused calls too: few of them are made. */
const mostCalls = burst.length * 1.6;

test('each call of a burst through the SDK is answered, with few refused provider calls', async () => {
  fixture.provider.configure({ requestsPerSecond: 5 });
  fixture.provider.behave('Done.');
  const { id } = await newAgent();
  const client = clientOf(fixture.tenant);
  const answers = await Promise.all(
    burst.map((text) => client.agents.invoke(id, { message: text })),
  );
  expect(answers.map(({ response }) => response)).toEqual(burst.map(() => 'Done.'));
  expect(fixture.provider.received.length).toBeLessThanOrEqual(mostCalls);
});

test('each of a burst of asynchronous invocations is answered, with few refused provider calls', async () => {
  fixture.provider.configure({ requestsPerSecond: 5 });
  fixture.provider.behave('Done.');
  const { id } = await newAgent();
  const headers = { prefer: 'respond-async' };
  for (const text of burst) {
    await fixture.tenant.api.expect('invokeAgent', 202, message(id, text, { headers }));
  }
  const { invocation } = fixture.service.database.prisma;
  await eventually(async () => {
    const where = { agentId: id, status: 'succeeded' as const };
    expect(await invocation.count({ where })).toBe(burst.length);
  });
  expect(fixture.provider.received.length).toBeLessThanOrEqual(mostCalls);
});

test("an account's burst delays another account's call by no more than a few turns", async () => {
  fixture.provider.configure({ requestsPerSecond: 5 });
  fixture.provider.behave('Done.');
  const model = `local/${randomUUID()}`;
  const other = await fixture.service.tenant();
  const [{ id }, agent] = await Promise.all([
    newAgent(fixture.tenant, model),
    newAgent(other, model),
  ]);
  const client = clientOf(fixture.tenant);
  let answered = 0;
  const all = burst.map((text) =>
    client.agents.invoke(id, { message: text }).then(() => (answered += 1)),
  );
  await eventually(() => {
    expect(answered).toBeGreaterThan(5);
  });
  const before = answered;
  await clientOf(other).agents.invoke(agent.id, { message: 'Just one.' });
  // What the provider takes in two seconds, of the 20 or more that still wait.
  expect(answered - before).toBeLessThanOrEqual(10);
  await Promise.all(all);
});

test('the log says how long a call waited after a 429', async () => {
  fixture.provider.behave(status(429, { 'retry-after': '1' }), 'Done.');
  const { id } = await newAgent();
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
  const { logs } = await recordsOf(fixture.service, data.request_id);
  const [retry] = logs.filter(({ level }) => level === 'warn');
  expect(retry?.message).toBe(
    'Model call failed: the provider answered with status 429 and asks to wait 1 s; retry 1 of 2',
  );
  const { wait_ms: waitMs } = Object(retry?.metadata) as { wait_ms: number };
  expect(waitMs).toBeGreaterThanOrEqual(990);
  expect(waitMs).toBeLessThanOrEqual(1_200);
});

test('a used-up quota is said as such, and stops no other call', async () => {
  const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' };
  fixture.provider.behave(refusal(429, { error }), 'Done.');
  const { id } = await newAgent();
  const refused = await fixture.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
  expect(refused.error).toMatchObject({
    code: 'upstream_error',
    message: "The model provider's quota is used up.",
    retryable: false,
  });
  const path = { agent_id: id };
  const { data } = await fixture.tenant.api.expect('getLogs', 200, { path });
  expect(data[0]?.message).toMatch(/status 429: its quota is used up$/);
  expect(data[0]?.metadata).toMatchObject({ said: 'You exceeded your current quota.' });
  await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
});

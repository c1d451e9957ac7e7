/** Runs outside production that go on, after an approval or in another process: they stay where they began. */
import { describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { eventually } from '../helpers/eventually.js';
import { answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { useFiles } from '../helpers/programs/files.js';
import type { Call } from '../helpers/service/api.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { idempotent, resume, said, useCarefulAgents } from './careful-agents.js';
import { recordsOf, recordsOnceFinished } from './service-with-model.js';
import { refund, type RefundAgent } from './tool-fixtures.js';

const { fixture, shop, newCarefulAgent, newRefundAgent, lastMessages, accountName } =
  useCarefulAgents();
const files = useFiles();

/** The call in an environment; undefined: as it is. */
const inEnvironment = (call: Call, environment: string | undefined): Call => ({
  ...call,
  body: { ...(call.body as object), ...(environment === undefined ? {} : { environment }) },
});

const asking = ({ name }: RefundAgent, context?: object): Call => ({
  path: { agent_id: name },
  body: { message: 'Refund order 7.', ...(context ? { context } : {}) },
});

const context = { session_id: 'one' };

async function paused(environment: string | undefined, settings: object = {}) {
  const agent = await newCarefulAgent({ settings });
  await deploymentCalls(fixture.tenant).deploy(agent.id, '1', 'staging');
  fixture.provider.behave(refund, said('It is refunded.'));
  const call = inEnvironment(asking(agent, context), environment);
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
  return { agent, requestId: data.request_id };
}

const isWaiting = async (requestId: string) =>
  (await fixture.service.database.prisma.pausedRun.count({ where: { requestId } })) === 1;

const forgetDeployments = async ({ id: agentId }: RefundAgent) => {
  const where = { agentId, environment: 'staging' };
  await fixture.service.database.prisma.deployment.deleteMany({ where });
  // So that no cache has them.
  await deploymentCalls(fixture.tenant).deploy(agentId, '1');
};

const fields = (body: unknown) => (body as ErrorResponse).error.details?.map(({ field }) => field);

describe('a decision', () => {
  test.each([
    ['draft', undefined],
    ['draft', 'draft'],
    ['staging', undefined],
    ['staging', 'staging'],
    [undefined, 'production'],
    ['production', undefined],
  ])('on a run in %s takes its environment, if it names %s', async (own, named) => {
    for (const headers of [{}, { prefer: 'respond-async' }]) {
      const { agent, requestId } = await paused(own);
      const call = inEnvironment(resume(agent, requestId, { headers }), named);
      const answered = await fixture.tenant.api.call('invokeAgent', call);
      const { data } = answered.body as { data: { request_id: string } };
      const { invocation, logs } = await recordsOnceFinished(fixture.service, data.request_id);
      const stored = own === 'production' ? null : (own ?? null);
      expect(invocation).toMatchObject({ status: 'succeeded', environment: stored });
      const said = logs.map(({ metadata }) => (metadata as { environment?: string }).environment);
      expect(new Set(said)).toEqual(new Set([stored ?? undefined]));
      const memory = await fixture.service.database.prisma.memoryEntry.findMany({
        where: { agentId: agent.id },
      });
      expect(memory.map(({ environment }) => environment)).toEqual([stored, stored]);
    }
    expect(shop.received).toHaveLength(2);
  });

  test.each([
    ['draft', 'production'],
    ['draft', 'staging'],
    ['staging', 'draft'],
    ['staging', 'nowhere'],
    [undefined, 'draft'],
    [undefined, 'nowhere'],
  ])('on a run in %s is a 400 if it names %s', async (own, named) => {
    const { agent, requestId } = await paused(own);
    for (const headers of [{}, { prefer: 'respond-async' }]) {
      const call = inEnvironment(resume(agent, requestId, { headers }), named);
      const { status, body } = await fixture.tenant.api.call('invokeAgent', call);
      expect([status, fields(body)]).toEqual([400, ['environment']]);
    }
    expect(await isWaiting(requestId)).toBe(true);
    expect(shop.received).toEqual([]);
  });

  test('counts even if nothing is deployed to the environment any more', async () => {
    for (const [headers, environment] of [
      [{}, undefined],
      [{ prefer: 'respond-async' }, 'staging'],
    ] as const) {
      const { agent, requestId } = await paused('staging');
      await forgetDeployments(agent);
      const call = inEnvironment(resume(agent, requestId, { headers }), environment);
      const { body } = await fixture.tenant.api.call('invokeAgent', call);
      const { data } = body as { data: { request_id: string } };
      const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
      expect(invocation).toMatchObject({ status: 'succeeded', environment: 'staging' });
    }
    expect(shop.received).toHaveLength(2);
  });

  test('cannot be made by a token outside production', async () => {
    const secret = 'a secret of the support bot, of at least 32 bytes';
    const file = await files.write('secret', secret);
    const auth = { type: 'jwt', secret: `\${file:${file}}` };
    const agent = await newCarefulAgent({ settings: { auth } });
    fixture.provider.behave(refund, said('It is refunded.'));
    const asked = inEnvironment(asking(agent, { user_id: 'ann' }), 'draft');
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, asked);
    const tokenOf = (user_id: string) => signToken(secret, { ...usualClaims(), user_id });
    const decide = async (user: string) => {
      const api = fixture.service.api(tokenOf(user));
      const { error } = await api.expect('invokeAgent', 403, resume(agent, data.request_id));
      return error.message;
    };
    expect(await decide('ann')).toContain("not in 'draft'");
    // Others do not learn where it runs.
    expect(await decide('bob')).not.toContain('draft');
    expect(await isWaiting(data.request_id)).toBe(true);
    expect(shop.received).toEqual([]);
  });
});

test('a run that is closed while it waits says where it ran', async () => {
  const { requestId } = await paused('staging');
  const operator = operatorInProcess(fixture.service);
  await operator.json('invocations', 'cancel', requestId, '--account', await accountName());
  const entries = await fixture.service.database.prisma.logEntry.findMany({ where: { requestId } });
  expect(entries.length).toBeGreaterThan(1);
  expect(new Set(entries.map(({ environment }) => environment))).toEqual(new Set(['staging']));
});

test('a repeat goes on where the run began, although nothing is deployed there any more', async () => {
  const agent = await newRefundAgent();
  await deploymentCalls(fixture.tenant).deploy(agent.id, '1', 'staging');
  const held = answerLater(chatCompletions, ['Too late.']);
  fixture.provider.behave(refund, held.reply, said('Done.'));
  const call = { ...inEnvironment(asking(agent, context), 'staging'), headers: idempotent() };
  const first = fixture.tenant.api.call('invokeAgent', call);
  await fixture.provider.asked(2);
  const { prisma } = fixture.service.database;
  await eventually(async () => {
    await prisma.logEntry.findFirstOrThrow({
      where: { agentId: agent.id, message: { startsWith: 'Tool refund succeeded' } },
    });
  });
  await forgetDeployments(agent);
  // The instance seems to be dead.
  const { data } = await eventually(async () => {
    const expired = { leaseUntil: new Date(0) };
    await prisma.idempotencyRecord.updateMany({ where: { state: 'running' }, data: expired });
    await prisma.sessionLease.updateMany({ where: { agentId: agent.id }, data: expired });
    return fixture.tenant.api.expect('invokeAgent', 200, call);
  }, 20_000);
  expect(data.response).toBe('Done.');
  held.finish();
  await first;
  expect(shop.received).toHaveLength(1);
  const { invocation, logs } = await recordsOf(fixture.service, data.request_id);
  expect(invocation).toMatchObject({ environment: 'staging', status: 'succeeded' });
  expect(logs.at(-1)?.metadata).toMatchObject({ environment: 'staging' });
  fixture.provider.behave(said('Hello.'));
  await fixture.tenant.api.expect('invokeAgent', 200, asking(agent, context));
  expect(lastMessages().map(({ content }) => content)).not.toContain('Done.');
});

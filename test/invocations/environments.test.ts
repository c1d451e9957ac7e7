/** Invocations outside production: which configuration runs, for whom, and that what is said there stays there. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { insertDeployment } from '../helpers/database/rows.js';
import { eventually } from '../helpers/eventually.js';
import { answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { createFiles } from '../helpers/programs/files.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { streamed } from './event-reader.js';
import { later, saying, useEnvironments } from './in-environments.js';
import { recordsOf, recordsOnceFinished } from './service-with-model.js';

const { fixture, say, sayLater, newDeployedAgent, lastModel, lastMessages } = useEnvironments();

describe('an invocation runs', () => {
  test.each([
    [undefined, 'live'],
    ['production', 'live'],
    ['staging', 'staged'],
    ['draft', 'draft'],
  ])('in %s what is active there', async (environment, model) => {
    const { id, name, live, staged } = await newDeployedAgent();
    const how = environment === undefined ? {} : { environment };
    const deploymentId = { live, staged, draft: null }[model];
    for (const reference of [id, name]) {
      const { request_id } = await say(reference, 'Hi', how);
      expect(lastModel()).toBe(model);
      const { invocation } = await recordsOf(fixture.service, request_id);
      expect(invocation).toMatchObject({
        deploymentId,
        environment: model === 'live' ? null : environment,
      });
    }
  });

  test('in production the draft before the first deployment, and nothing in another environment', async () => {
    const { id } = await fixture.newAgent({ model: 'local/draft' });
    await say(id, 'Hi', { environment: 'production' });
    expect(lastModel()).toBe('draft');
    const { status } = await fixture.tenant.api.call(
      'invokeAgent',
      saying(id, 'Hi', { environment: 'staging' }),
    );
    expect(status).toBe(404);
  });

  test('the draft, even if an earlier release let it be deployed to draft', async () => {
    const { id } = await fixture.newAgent({ model: 'local/draft' });
    const old = { environment: 'draft', model: 'local/old' };
    await insertDeployment(fixture.service.database, id, old);
    await say(id, 'Hi', { environment: 'draft' });
    expect(lastModel()).toBe('draft');
  });

  test('as a stream, and later', async () => {
    const { id } = await newDeployedAgent();
    const call = saying(id, 'Hi', { environment: 'staging' });
    const { events } = await streamed(fixture.service.url, fixture.tenant.key, call);
    expect(events.at(-1)?.event).toBe('done');
    expect(lastModel()).toBe('staged');
    const { invocation } = await sayLater(id, 'Hi', { environment: 'draft' });
    expect(lastModel()).toBe('draft');
    expect(invocation).toMatchObject({ environment: 'draft', status: 'succeeded' });
  });
});

describe('an environment without an active deployment', () => {
  test.each([
    ['plain', {}],
    ['later', later],
    ['as a stream', { accept: 'text/event-stream' }],
  ])('is a 404 that names it: %s', async (_form, headers) => {
    const { id, name } = await newDeployedAgent();
    const database = fixture.service.database.prisma;
    await insertDeployment(fixture.service.database, id, {
      environment: 'canary',
      status: 'rolled_back',
    });
    const call = saying(id, 'Hi', { environment: 'canary', headers });
    const { status, body } = await fixture.tenant.api.call('invokeAgent', call);
    expect(status).toBe(404);
    expect((body as ErrorResponse).error).toEqual({
      code: 'not_found',
      message: `There is no active deployment of the agent '${name}' in the environment 'canary'.`,
    });
    expect(await database.invocation.count({ where: { agentId: id } })).toBe(0);
  });

  test('does not reveal an agent that the key may not see', async () => {
    const other = await fixture.service.tenant();
    const { id } = await newDeployedAgent();
    const { body } = await other.api.call('invokeAgent', saying(id, 'Hi', { environment: 'x' }));
    expect((body as ErrorResponse).error.message).toBe(`There is no agent '${id}'.`);
  });

  test.each(['Staging', '', '1', 'a'.repeat(33), null, 7])('%p is a 400', async (environment) => {
    const { id } = await newDeployedAgent();
    const call = { path: { agent_id: id }, body: { message: 'Hi', environment } };
    const { status, body } = await fixture.tenant.api.call('invokeAgent', call);
    expect(status).toBe(400);
    expect((body as ErrorResponse).error.details).toMatchObject([{ field: 'environment' }]);
  });

  test('ends a queued invocation whose deployment has gone', async () => {
    const { id, name, staged } = await newDeployedAgent();
    const slow = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(slow.reply);
    const context = { session_id: 'one' };
    const how = { environment: 'staging', context };
    const first = sayLater(id, 'First', how);
    await fixture.provider.asked(1);
    const key = { 'idempotency-key': randomUUID() };
    const call = saying(id, 'Second', { ...how, headers: { ...later, ...key } });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await fixture.service.database.prisma.deployment.delete({ where: { id: staged } });
    // So that no cache has it.
    await deploymentCalls(fixture.tenant).deploy(id, 'v2');
    slow.finish();
    await first;
    const { invocation, logs } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({
      status: 'failed',
      errorCode: 'not_found',
      deploymentId: null,
      environment: 'staging',
    });
    expect(logs.at(-1)?.message).toMatch(/nothing is deployed to staging any more$/);
    expect(fixture.provider.received).toHaveLength(1);
    const repeat = await fixture.tenant.api.call('invokeAgent', call);
    expect(repeat).toMatchObject({
      status: 404,
      body: {
        error: { message: expect.stringContaining(`'${name}' in the environment 'staging'`) },
      },
    });
  });
});

describe('a change takes effect on another instance', () => {
  test('in every environment', async () => {
    const other = await fixture.service.another();
    const api = other.api(fixture.tenant.key);
    const { deploy, rollBack } = deploymentCalls(fixture.tenant);
    const { id } = await fixture.newAgent({ model: 'local/one' });
    const runs = async (environment: string, model: string) => {
      const call = saying(id, 'Hi', { environment });
      await eventually(async () => {
        await api.expect('invokeAgent', 200, call);
        expect(lastModel()).toBe(model);
      }, 2_000);
    };
    await runs('draft', 'one');
    await deploy(id, '1', 'staging');
    await runs('staging', 'one');
    const path = { agent_id: id };
    await fixture.tenant.api.expect('updateAgent', 200, { path, body: { model: 'local/two' } });
    await runs('draft', 'two');
    await runs('staging', 'one');
    const second = await deploy(id, '2', 'staging');
    await runs('staging', 'two');
    await rollBack(id, second.id);
    await runs('staging', 'one');
  });
});

describe('a token', () => {
  const secret = 'a secret of the support bot, of at least 32 bytes';
  let policy: object;

  beforeAll(async () => {
    const file = await (await createFiles()).write('secret', secret);
    policy = { auth: { type: 'jwt', secret: `\${file:${file}}`, roles: ['admin'] } };
  });

  const as = (role?: string) =>
    fixture.service.api(
      signToken(secret, { ...usualClaims(), user_id: 'ann', ...(role ? { role } : {}) }),
    );

  test.each([undefined, 'admin'])('with the role %p may only use production', async (role) => {
    const agent = await fixture.newAgent({ policy });
    await insertDeployment(fixture.service.database, agent.id, { environment: 'staging' });
    await as(role).expect(
      'invokeAgent',
      200,
      saying(agent.id, 'Hi', { environment: 'production' }),
    );
    for (const environment of ['draft', 'staging', 'nowhere']) {
      for (const headers of [{}, later]) {
        const call = saying(agent.id, 'Hi', { environment, headers });
        const { status, body } = await as(role).call('invokeAgent', call);
        expect(status).toBe(403);
        expect((body as ErrorResponse).error.message).toBe(
          `A token may only invoke the agent in 'production', not in '${environment}'.`,
        );
      }
    }
    const where = { agentId: agent.id };
    expect(await fixture.service.database.prisma.invocation.count({ where })).toBe(1);
  });
});

describe('a session', () => {
  test('of the same name is another one in each environment', async () => {
    const { id } = await newDeployedAgent();
    for (const context of [{ session_id: 'one' }, { session_id: 'one', user_id: 'ann' }]) {
      await say(id, 'In production.', { context });
      await say(id, 'In staging.', { context, environment: 'staging' });
      expect(lastMessages()).toEqual(['In staging.']);
      await sayLater(id, 'In the draft.', { context, environment: 'draft' });
      expect(lastMessages()).toEqual(['In the draft.']);
      await sayLater(id, 'Again.', { context, environment: 'draft' });
      expect(lastMessages()).toEqual(['In the draft.', 'On its way.', 'Again.']);
      await say(id, 'Again.', { context, environment: 'production' });
      expect(lastMessages()).toEqual(['In production.', 'On its way.', 'Again.']);
      await say(id, 'Again.', { context, environment: 'staging' });
      expect(lastMessages()).toEqual(['In staging.', 'On its way.', 'Again.']);
    }
  });

  test.each([
    ['plain', {}],
    ['later', later],
  ])('of another environment is not waited for: %s', async (_form, headers) => {
    const { id } = await newDeployedAgent();
    const slow = answerLater(chatCompletions, ['Done.']);
    const context = { session_id: 'one' };
    fixture.provider.behave(slow.reply);
    const first = sayLater(id, 'Slowly', { context, environment: 'draft' });
    await fixture.provider.asked(1);
    const second = fixture.tenant.api.call('invokeAgent', saying(id, 'Hi', { context, headers }));
    await fixture.provider.asked(2);
    const third = fixture.tenant.api.call(
      'invokeAgent',
      saying(id, 'Hi', { context, headers, environment: 'staging' }),
    );
    await fixture.provider.asked(3);
    slow.finish();
    await Promise.all([first, second, third]);
  });

  test('within an environment runs one message at a time, in their order', async () => {
    const { id } = await newDeployedAgent();
    const slow = answerLater(chatCompletions, ['Done.']);
    const how = { context: { session_id: 'one' }, environment: 'draft' };
    fixture.provider.behave(slow.reply);
    const first = sayLater(id, 'One', how);
    await fixture.provider.asked(1);
    const second = sayLater(id, 'Two', how);
    slow.finish();
    await Promise.all([first, second]);
    expect(lastMessages()).toEqual(['One', 'Done.', 'Two']);
  });
});

test('a repeat with the same key and another environment is a 422', async () => {
  const { id } = await newDeployedAgent();
  const headers = { 'idempotency-key': randomUUID() };
  await say(id, 'Hi', { environment: 'draft', headers });
  const other = saying(id, 'Hi', { environment: 'staging', headers });
  expect((await fixture.tenant.api.call('invokeAgent', other)).status).toBe(422);
});

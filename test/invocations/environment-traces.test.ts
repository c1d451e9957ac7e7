/** What invocations outside production leave: it says where it was left, is found there, and goes with everything else. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { later, saying, useEnvironments } from './in-environments.js';
import { recordsOf, recordsOnceFinished } from './service-with-model.js';

const { fixture, say, newDeployedAgent, lastMessages } = useEnvironments();

describe('what an invocation outside production leaves', () => {
  test('says where it ran: its log, its event, and the memory search', async () => {
    const { id, staged } = await newDeployedAgent();
    await fixture.tenant.api.expect('createWebhook', 201, {
      body: {
        url: 'https://127.0.0.1/hook',
        agent_id: id,
        events: ['agent.completed', 'agent.failed'],
      },
    });
    const context = { user_id: 'ann' };
    const { request_id } = await say(id, 'A parcel.', { context, environment: 'staging' });
    const { logs, events } = await recordsOf(fixture.service, request_id);
    expect(logs.at(-1)?.metadata).toMatchObject({ environment: 'staging', deployment_id: staged });
    expect(events.map(({ body }) => body.data.environment)).toEqual(['staging']);
    const live = await say(id, 'Another parcel.', { context });
    const ofLive = await recordsOf(fixture.service, live.request_id);
    expect(ofLive.logs.at(-1)?.metadata).not.toHaveProperty('environment');
    expect(ofLive.events[0]?.body.data).not.toHaveProperty('environment');
    const found = async (filter?: object) => {
      const body = { query: 'parcel', ...(filter ? { filter } : {}) };
      const { data } = await fixture.tenant.api.expect('searchMemory', 200, {
        path: { agent_id: id },
        body,
      });
      return data.map(({ content, metadata }) => [metadata.environment, content]);
    };
    const [inStaging, inProduction] = [
      ['staging', 'A parcel.'],
      [undefined, 'Another parcel.'],
    ];
    expect(await found()).toEqual([inProduction, inStaging]);
    expect(await found({ environment: 'staging' })).toEqual([inStaging]);
    expect(await found({ environment: 'staging', user_id: 'ann' })).toEqual([inStaging]);
    expect(await found({ environment: 'staging', user_id: 'bob' })).toEqual([]);
    expect(await found({ environment: 'production' })).toEqual([inProduction]);
    expect(await found({ environment: 'draft' })).toEqual([]);
  });

  test('is found by recall in its own environment only', async () => {
    const { id } = await fixture.newAgent({ options: { recall: true } });
    const context = { user_id: 'ann' };
    fixture.provider.behave('Noted.');
    await say(id, 'My bicycle is red.', { context });
    await say(id, 'My bicycle is blue.', { context, environment: 'draft' });
    const recall = { calls: [{ name: 'recall', arguments: { query: 'bicycle' } }] };
    for (const [environment, own, other] of [
      ['production', 'red', 'blue'],
      ['draft', 'blue', 'red'],
    ]) {
      fixture.provider.behave(recall, 'I know.');
      await say(id, 'Which colour?', { context, ...(environment ? { environment } : {}) });
      const results = fixture.provider
        .prompts()
        .at(-1)
        ?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
      expect(results?.join()).toContain(own);
      expect(results?.join()).not.toContain(other);
    }
  });

  test('is cleared with everything else', async () => {
    const { id } = await newDeployedAgent();
    await say(id, 'Hi', { context: { session_id: 'one' } });
    await say(id, 'Hi', { context: { session_id: 'one' }, environment: 'draft' });
    const path = { agent_id: id };
    const { data } = await fixture.tenant.api.expect('clearMemory', 200, { path });
    expect(data.cleared).toBe(4);
    await say(id, 'What did I say?', { context: { session_id: 'one' }, environment: 'draft' });
    expect(lastMessages()).toEqual(['What did I say?']);
  });

  test('is erased with its user, and so are the leases of its sessions', async () => {
    const { id } = await newDeployedAgent();
    const { prisma } = fixture.service.database;
    const { accountId } = fixture.tenant;
    const own = { agentId: id, userId: 'ann' };
    await say(id, 'Hi', { context: { user_id: 'ann' }, environment: 'draft' });
    const sessionId = JSON.stringify(['ann', 'one', 'draft']);
    const lease = { accountId, agentId: id, sessionId, owner: 'o', leaseUntil: new Date() };
    await prisma.sessionLease.create({ data: lease });
    const { name } = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    const operator = operatorInProcess(fixture.service);
    await operator.json('users', 'erase', 'ann', '--account', name, '--yes');
    expect(await prisma.memoryEntry.count({ where: own })).toBe(0);
    expect(await prisma.invocation.count({ where: own })).toBe(0);
    expect(await prisma.sessionLease.count({ where: { agentId: id } })).toBe(0);
  });

  test('says where a cancelled one would have run', async () => {
    const { id } = await newDeployedAgent();
    const slow = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(slow.reply);
    const call = saying(id, 'Hi', {
      environment: 'staging',
      headers: { ...later, 'idempotency-key': randomUUID() },
    });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await fixture.provider.asked(1);
    const cancel = { ...call, headers: { ...call.headers, prefer: 'cancel' } };
    await fixture.tenant.api.expect('invokeAgent', 202, cancel);
    const { logs, invocation } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation?.environment).toBe('staging');
    expect(logs.at(-1)?.metadata).toMatchObject({ environment: 'staging' });
    slow.finish();
  });
});

/** A run that waits for approval: what becomes of it while nobody decides. */
import { describe, expect, test } from '@jest/globals';
import type { Invocation } from '../../generated/api.js';
import type { Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { ask, idempotent, resume, said, useCarefulAgents } from './careful-agents.js';
import { recordsOf } from './service-with-model.js';
import { refund } from './tool-fixtures.js';

const { fixture, shop, newCarefulAgent, pausedAgent, lastMessages, stepsOf, accountName } =
  useCarefulAgents();

describe('a run that waits', () => {
  test('does not hold its session, and joins it when it ends', async () => {
    const context = { session_id: 's2' };
    const { agent, paused } = await pausedAgent({ context });
    fixture.provider.behave(said('Sunny.'));
    const weather: Call = {
      path: { agent_id: agent.name },
      body: { message: 'How is the weather?', context },
    };
    await fixture.tenant.api.expect('invokeAgent', 200, weather);
    fixture.provider.behave(said('It is refunded.'));
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    fixture.provider.behave(said('You are welcome.'));
    await fixture.tenant.api.expect('invokeAgent', 200, weather);
    const messages = lastMessages();
    const texts = JSON.stringify(messages.map(({ content }) => content));
    expect(texts).toContain('Refund order 7.\\n\\nGo ahead.');
    expect(texts).toContain('It is refunded.');
  });

  test('sends agent.paused', async () => {
    const agent = await newCarefulAgent();
    const { database } = fixture.service;
    const webhook = await insertWebhook(database, fixture.tenant.accountId, agent.id);
    const events = ['agent.paused', 'agent.failed', 'agent.completed'];
    await database.prisma.webhook.update({ where: { id: webhook }, data: { events } });
    fixture.provider.behave(refund);
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, ask(agent));
    const event = await database.prisma.event.findFirstOrThrow({
      where: { requestId: data.request_id },
    });
    const { type, data: sent } = JSON.parse(Buffer.from(event.body).toString()) as {
      type: string;
      data: Invocation;
    };
    expect(type).toBe('agent.paused');
    expect(sent).toMatchObject({ request_id: data.request_id, approvals: data.approvals });
  });

  test('is cancelled by its caller, with its key', async () => {
    const agent = await newCarefulAgent();
    fixture.provider.behave(refund);
    const headers = idempotent();
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      ask(agent, undefined, headers),
    );
    const cancelled = ask(agent, undefined, { ...headers, prefer: 'cancel' });
    const accepted = await fixture.tenant.api.expect('invokeAgent', 202, cancelled);
    expect(accepted.data.request_id).toBe(data.request_id);
    await fixture.tenant.api.expect('invokeAgent', 409, ask(agent, undefined, headers));
    await fixture.tenant.api.expect('invokeAgent', 409, resume(agent, data.request_id));
    expect(shop.received).toEqual([]);
  });

  test('is listed and closed by the operator', async () => {
    const { paused } = await pausedAgent({ context: { user_id: 'ada' } });
    const operator = operatorInProcess(fixture.service);
    const name = await accountName();
    const listed = await operator.run(['--account', name, '--json', 'approvals', 'list']);
    expect(listed.stderr).toBe('');
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({
        id: paused.request_id,
        user_id: 'ada',
        approvals: paused.approvals,
      }),
    );
    const closed = await operator.run([
      '--account',
      name,
      'invocations',
      'cancel',
      paused.request_id,
    ]);
    expect(closed.stdout).toContain('waited for approval');
    expect(await stepsOf(paused.request_id)).toBe(0);
  });

  test('goes with its user', async () => {
    const { agent, paused } = await pausedAgent({ context: { user_id: 'grace' } });
    const of = ['--account', await accountName(), '--json'];
    const operator = operatorInProcess(fixture.service);
    const erased = await operator.run([...of, 'users', 'erase', 'grace', '--yes']);
    expect(JSON.parse(erased.stdout)).toMatchObject({ erased: { cancelled: 1, invocations: 1 } });
    expect(await stepsOf(paused.request_id)).toBe(0);
    const { invocation } = await recordsOf(fixture.service, paused.request_id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled', userId: null });
    await fixture.tenant.api.expect('invokeAgent', 409, resume(agent, paused.request_id));
    expect(shop.received).toEqual([]);
  });

  test('is closed although its steps cannot be read, and so are the others', async () => {
    const first = await pausedAgent({ context: { user_id: 'ada' } });
    const second = await pausedAgent();
    const { prisma } = fixture.service.database;
    // Its beginning was erased with its user while it still ran.
    await prisma.runStep.deleteMany({ where: { requestId: first.paused.request_id, position: 0 } });
    const sealed = await pausedAgent();
    await prisma.runStep.updateMany({
      where: { requestId: sealed.paused.request_id },
      data: { sealedData: Buffer.from('of a lost key') },
    });
    const operator = operatorInProcess(fixture.service);
    const listed = await operator.run(['--account', await accountName(), 'approvals', 'list']);
    expect(listed.stderr).toBe('');
    expect(listed.stdout).toContain(second.paused.request_id);
    const undecided = resume(first.agent, first.paused.request_id);
    await fixture.tenant.api.expect('invokeAgent', 409, undecided);
    const ids = [first, sealed, second].map(({ paused }) => paused.request_id);
    const where = { requestId: { in: ids } };
    for (const [index, requestId] of ids.entries()) {
      const expiresAt = new Date(index);
      await prisma.pausedRun.update({
        where: { accountId_requestId: { accountId: fixture.tenant.accountId, requestId } },
        data: { expiresAt },
      });
    }
    await eventually(async () => {
      expect(await prisma.pausedRun.count({ where })).toBe(0);
    }, 30_000);
    expect(await prisma.runStep.count({ where })).toBe(0);
    const { invocation } = await recordsOf(fixture.service, second.paused.request_id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'timeout' });
  }, 60_000);

  test('is erased with its user although its invocation was deleted by age', async () => {
    const { paused } = await pausedAgent({ context: { user_id: 'bob' } });
    const { prisma } = fixture.service.database;
    await prisma.invocation.deleteMany({ where: { id: paused.request_id } });
    const operator = operatorInProcess(fixture.service);
    const name = await accountName();
    const erased = await operator.run(['--account', name, 'users', 'erase', 'bob', '--yes']);
    expect(erased.code).toBe(0);
    expect(await prisma.pausedRun.count({ where: { userId: 'bob' } })).toBe(0);
    expect(await stepsOf(paused.request_id)).toBe(0);
  });

  test('leaves its Idempotency-Key alone once that belongs to another request', async () => {
    const agent = await newCarefulAgent();
    fixture.provider.behave(refund);
    const headers = idempotent();
    const asked = ask(agent, undefined, headers);
    const { data: paused } = await fixture.tenant.api.expect('invokeAgent', 200, asked);
    const { prisma } = fixture.service.database;
    const { idempotencyId } = await prisma.invocation.findFirstOrThrow({
      where: { id: paused.request_id },
    });
    await prisma.idempotencyRecord.updateMany({
      where: { id: idempotencyId ?? Buffer.alloc(0) },
      data: { expiresAt: new Date(0) },
    });
    fixture.provider.behave(said('Sunny.'));
    const other: Call = {
      path: { agent_id: agent.name },
      body: { message: 'How is the weather?' },
      headers,
    };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, other);
    const operator = operatorInProcess(fixture.service);
    const cancel = ['invocations', 'cancel', paused.request_id];
    const closed = await operator.run(['--account', await accountName(), ...cancel]);
    expect(closed.stderr).toBe('');
    const repeat = await fixture.tenant.api.expect('invokeAgent', 200, other);
    expect(repeat.data).toEqual(data);
  });

  test('goes with its agent', async () => {
    const { agent, paused } = await pausedAgent();
    await fixture.tenant.api.expect('deleteAgent', 200, { path: { agent_id: agent.name } });
    expect(await stepsOf(paused.request_id)).toBe(0);
    const { prisma } = fixture.service.database;
    expect(await prisma.pausedRun.count({ where: { requestId: paused.request_id } })).toBe(0);
  });

  test('keeps nothing readable of a message that must not be remembered', async () => {
    const { agent, paused } = await pausedAgent({ context: { user_id: 'ada', remember: false } });
    const { prisma } = fixture.service.database;
    const steps = await prisma.runStep.findMany({ where: { requestId: paused.request_id } });
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.some(({ sealedData }) => Buffer.from(sealedData).includes('Refund'))).toBe(false);
    const { data } = await fixture.tenant.api.expect(
      'invokeAgent',
      200,
      resume(agent, paused.request_id),
    );
    const { memory, invocation } = await recordsOf(fixture.service, data.request_id);
    expect(memory).toEqual([]);
    expect(invocation).toMatchObject({ userId: null });
    expect(await stepsOf(data.request_id)).toBe(0);
  });

  test('does not go on while its agent is stopped', async () => {
    const { agent, paused } = await pausedAgent();
    const operator = operatorInProcess(fixture.service);
    const setStatus = async (status: 'stopped' | 'running') => {
      const verb = status === 'stopped' ? 'stop' : 'start';
      const done = await operator.run([
        '--account',
        await accountName(),
        'agents',
        verb,
        agent.name,
      ]);
      expect(done.stderr).toBe('');
    };
    await setStatus('stopped');
    await fixture.tenant.api.expect('invokeAgent', 409, resume(agent, paused.request_id));
    expect(shop.received).toEqual([]);
    await setStatus('running');
    await fixture.tenant.api.expect('invokeAgent', 200, resume(agent, paused.request_id));
    expect(shop.received).toHaveLength(1);
  });
});

/** Token budgets: no instance calls a model once a budget is used up, until it renews. */
import { describe, expect, test } from '@jest/globals';
import type { Budget } from '../../generated/manifest.js';
import { changeAccount } from '../../server/accounts/accounts.js';
import { announceChanges } from '../../server/postgres/changes.js';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { useFixture } from '../helpers/service/fixture.js';
import { recordStatements } from '../helpers/database/statements.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import {
  answer,
  chatCompletions,
  countedCompletions,
  stall,
} from '../helpers/model-provider/wire-formats.js';
import { streamed } from './event-reader.js';
import { recordsOnceFinished, message, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();
const second = useFixture(() => fixture.service.another());

/** Longer than any test. */
const window = '31d';
const windowMs = 31 * 86_400_000;
/** The usage that the provider reports for "On its way.". */
const tokensOfAnswer = 7;

async function usedBy(ownerId: string): Promise<number> {
  const { budgetWindow } = fixture.service.database.prisma;
  const { _sum: sum } = await budgetWindow.aggregate({
    where: { ownerId },
    _sum: { tokens: true },
  });
  return Number(sum.tokens ?? 0);
}

function agentWith(budget: Budget) {
  return fixture.newAgent({ budget });
}

/** A new account, with an agent that calls the provider. */
async function accountWith(budget: Budget) {
  const tenant = await fixture.service.tenant();
  await fixture.service.database.transaction((transaction) =>
    changeAccount(transaction, tenant.accountId, { budget }),
  );
  return { tenant, agent: await tenant.newAgent({ model: 'local/llama3.2' }) };
}

describe('an agent with a budget', () => {
  test('answers until it is used up, and then says when it renews', async () => {
    const { id } = await agentWith({ tokens: tokensOfAnswer + 1, window });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'One'));
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Two'));
    const refused = await fixture.tenant.api.call('invokeAgent', message(id, 'Three'));
    const renewsAt = (Math.floor(Date.now() / windowMs) + 1) * windowMs;
    const seconds = Number(refused.headers.get('retry-after'));
    expect(Math.abs(renewsAt - Date.now() - seconds * 1000)).toBeLessThan(60_000);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: {
          code: 'rate_limited',
          message:
            `The agent has used its budget of 8 tokens in 31d. ` +
            `It renews at ${new Date(renewsAt).toISOString()}, in ${seconds} seconds.`,
          retry_after: seconds,
        },
      },
    });
    expect(fixture.provider.received).toHaveLength(2);
    expect(await usedBy(id)).toBe(2 * tokensOfAnswer);
  });

  test('logs that it is used up', async () => {
    const { id } = await agentWith({ tokens: 1, window });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'One'));
    const { headers } = await fixture.tenant.api.call('invokeAgent', message(id, 'Two'));
    const { invocation, logs, memory } = await recordsOnceFinished(
      fixture.service,
      headers.get('x-request-id') ?? '',
    );
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'rate_limited' });
    expect(memory).toEqual([]);
    expect(logs.at(-1)).toMatchObject({
      level: 'error',
      message: expect.stringMatching(
        /the agent has used its budget of 1 tokens in 31d, which renews at \S+Z$/,
      ),
      metadata: { code: 'rate_limited' },
    });
  });

  test('ends a stream with the same error', async () => {
    const { id } = await agentWith({ tokens: 1, window });
    const { service, tenant } = fixture;
    await streamed(service.url, tenant.key, message(id, 'One'));
    expect(await usedBy(id)).toBe(tokensOfAnswer);
    const { events } = await streamed(service.url, tenant.key, message(id, 'Two'));
    expect(events).toEqual([
      {
        event: 'error',
        data: {
          code: 'rate_limited',
          message: expect.stringContaining('has used its budget of 1 tokens'),
          retry_after: expect.any(Number),
        },
      },
    ]);
  });

  test('fails accepted invocations, with the error for repeats and webhooks', async () => {
    const { id } = await agentWith({ tokens: 1, window });
    const webhook = await insertWebhook(fixture.service.database, fixture.tenant.accountId, id);
    await fixture.service.database.prisma.webhook.update({
      where: { id: webhook },
      data: { events: ['agent.failed'] },
    });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'One'));
    const later = message(id, 'Two', {
      headers: { prefer: 'respond-async', 'idempotency-key': `budget-${id}` },
    });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, later);
    const { invocation, events } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({ status: 'failed', errorCode: 'rate_limited' });
    expect(events).toMatchObject([
      { type: 'agent.failed', body: { data: { error: { code: 'rate_limited' } } } },
    ]);
    const repeated = await fixture.tenant.api.call('invokeAgent', later);
    expect(repeated).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(Number(repeated.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('is not retried after a failed attempt that used up the budget', async () => {
    /** Reports its usage, and fails before its first text. */
    const failHavingUsed: Behaviour = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
      const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
      res.write(`data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\n`, () =>
        res.destroy(),
      );
    };
    fixture.provider.behave(failHavingUsed, answer(chatCompletions, ['Yes']));
    const { id } = await agentWith({ tokens: 6, window });
    await fixture.tenant.api.expect('invokeAgent', 429, message(id, 'Hi'));
    expect(fixture.provider.received).toHaveLength(1);
    expect(await usedBy(id)).toBe(6);
  });

  test('is charged for an abandoned request with the usage reported so far', async () => {
    fixture.provider.behave(stall(countedCompletions, ['On', 'its']));
    const { id } = await agentWith({ tokens: 1_000, window });
    const client = new AbortController();
    const headers = {
      authorization: `Bearer ${fixture.tenant.key}`,
      accept: 'text/event-stream',
    };
    const response = await send(fixture.service.url, 'invokeAgent', {
      ...message(id, 'Hi', { headers }),
      signal: client.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    client.abort();
    await eventually(async () => {
      expect(await usedBy(id)).toBe(7);
    });
  });

  test('returns no response whose usage could not be recorded', async () => {
    const { id } = await agentWith({ tokens: 1_000, window });
    await whileFailing(fixture.service.database, 'budget_windows', { code: '53100' }, () =>
      fixture.tenant.api.expect('invokeAgent', 503, message(id, 'Hi')),
    );
    expect(await usedBy(id)).toBe(0);
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
  });

  test('applies a changed manifest at once, and keeps its usage', async () => {
    const { id } = await agentWith({ tokens: 1, window });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'One'));
    await fixture.service.database.transaction(async (transaction) => {
      const data = { budget: { tokens: 8, window } };
      await transaction.prisma.agent.update({ where: { id }, data });
      await announceChanges(transaction, [id]);
    });
    await eventually(() => fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Two')));
    await fixture.tenant.api.expect('invokeAgent', 429, message(id, 'Three'));
  });
});

describe('an account with a budget', () => {
  test('shares it among its agents, in all forms of invocations', async () => {
    const { tenant, agent } = await accountWith({ tokens: 10, window });
    const { id } = await tenant.newAgent({ model: 'local/llama3.2' });
    await tenant.api.expect('invokeAgent', 200, message(id, 'One'));
    const headers = { prefer: 'respond-async' };
    const call = message(agent.id, 'Two', { headers });
    const { data } = await tenant.api.expect('invokeAgent', 202, call);
    await recordsOnceFinished(fixture.service, data.request_id);
    expect(await usedBy(tenant.accountId)).toBe(2 * tokensOfAnswer);
    const { error } = await tenant.api.expect('invokeAgent', 429, message(id, 'Three'));
    expect(error.message).toMatch(/^The account has used its budget of 10 tokens in 31d\./);
    const again = await tenant.api.expect('invokeAgent', 202, call);
    const { invocation } = await recordsOnceFinished(fixture.service, again.data.request_id);
    expect(invocation).toMatchObject({ errorCode: 'rate_limited' });
  });

  test('gets it from the operator, who can remove it, on every instance', async () => {
    const operator = operatorInProcess(fixture.service);
    const tenant = await fixture.service.tenant();
    const { id } = await tenant.newAgent({ model: 'local/llama3.2' });
    const { name } = await fixture.service.database.prisma.account.findUniqueOrThrow({
      where: { id: tenant.accountId },
    });
    const there = second.api(tenant.key);
    await there.expect('invokeAgent', 200, message(id, 'Hi'));
    const set = ['accounts', 'set-budget', name];
    expect(await operator.json(...set, '--tokens', '1', '--window', '1d')).toMatchObject({
      budget: { tokens: 1, window: '1d' },
    });
    await eventually(() => there.expect('invokeAgent', 429, message(id, 'Hi')));
    await tenant.api.expect('invokeAgent', 429, message(id, 'Hi'));
    expect((await operator.run([...set, '--none'])).stdout).toBe(
      `Budget of account '${name}': none.\n`,
    );
    await eventually(() => there.expect('invokeAgent', 200, message(id, 'Hi')));
    await eventually(() => tenant.api.expect('invokeAgent', 200, message(id, 'Hi')));
  });

  test.each([
    ['neither a budget nor `none`', [], 'Pass --tokens and --window'],
    ['both', ['--none', '--tokens', '1', '--window', '1d'], 'Pass --tokens and --window'],
    ['a window that is too short', ['--tokens', '1', '--window', '59s'], 'from 1m to 31d'],
    ['a window that is too long', ['--tokens', '1', '--window', '32d'], 'from 1m to 31d'],
  ])('is not given %s', async (_what, options, reason) => {
    const { code, stderr } = await operatorInProcess(fixture.service).run([
      'accounts',
      'set-budget',
      'tenant-1',
      ...options,
    ]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(reason),
    });
  });
});

describe('200 clients at a time, on two instances', () => {
  test('exceed a budget by at most one call each, and all usage is counted', async () => {
    const { id } = await agentWith({ tokens: 10 * tokensOfAnswer, window });
    const apis = [fixture.tenant.api, second.api(fixture.tenant.key)];
    const clients = Array.from({ length: 200 }, async (_, index) => {
      const api = apis[index % 2] ?? fixture.tenant.api;
      const statuses: number[] = [];
      for (const text of ['One', 'Two']) {
        statuses.push((await api.call('invokeAgent', message(id, text))).status);
      }
      return statuses;
    });
    const statuses = (await Promise.all(clients)).flat();
    const answered = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    // Each call starts when less than ten are counted, and at most 200 calls can be running.
    expect(answered).toBeLessThan(10 + 200);
    expect(fixture.provider.received).toHaveLength(answered);
    expect(await usedBy(id)).toBe(answered * tokensOfAnswer);
    for (const api of apis) await api.expect('invokeAgent', 429, message(id, 'Three'));
  });

  test('make no call once it is used up', async () => {
    const { id } = await agentWith({ tokens: 1, window });
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'One'));
    const there = second.api(fixture.tenant.key);
    const calls = Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? fixture.tenant.api : there).expect('invokeAgent', 429, message(id, 'Two')),
    );
    await Promise.all(calls);
    expect(fixture.provider.received).toHaveLength(1);
  });
});

test('without a budget the table is not queried', async () => {
  const { id } = await fixture.newAgent();
  const sent = await recordStatements(() =>
    fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi')),
  );
  // The bytes that accounts have stored are counted there too, once a second.
  const ofBudgets = /budget_windows(?!.*bytes)/s;
  expect(sent.filter(({ text }) => ofBudgets.test(text))).toEqual([]);
  expect(await usedBy(id)).toBe(0);
});

test('a model that reports no usage counts with an estimate, which is not shown as usage', async () => {
  const { id } = await fixture.newAgent({ budget: { tokens: 100, window: '1d' } });
  fixture.provider.behave({ text: 'x'.repeat(800), usage: 'none' });
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Hi'));
  expect(data.tokens_used).toBe(0);
  expect(data).not.toHaveProperty('usage');
  expect(await usedBy(id)).toBeGreaterThanOrEqual(200);
  await fixture.tenant.api.expect('invokeAgent', 429, message(id, 'Hi'));
});

/** The queue of asynchronous invocations is shared fairly by accounts, and limited per account. */
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { tiers } from '../../server/accounts/tiers.js';
import { newId } from '../../server/lib/data/typeid.js';
import type { Tenant } from '../helpers/service/service.js';
import { eventually } from '../helpers/eventually.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { recordsOnceFinished, message, useServiceWithModel } from './service-with-model.js';

const concurrency = 4;
const fixture = useServiceWithModel({ ASYNC_CONCURRENCY: `${concurrency}` });

const asynchronously = (agentId: string, text: string) =>
  message(agentId, text, { headers: { prefer: 'respond-async' } });

async function accept({ api }: Tenant, agentId: string, text: string): Promise<string> {
  const { data } = await api.expect('invokeAgent', 202, asynchronously(agentId, text));
  return data.request_id;
}

const running = (tenant: Tenant) =>
  fixture.service.database.prisma.invocation.count({
    where: { accountId: tenant.accountId, status: 'running' },
  });

test('30 hanging invocations of one account do not delay another account', async () => {
  fixture.provider.behave((response, { body }) => {
    if (!JSON.stringify(body).includes('Hang')) answer(chatCompletions, ['Done'])(response);
  });
  const { id } = await fixture.newAgent();
  for (let count = 0; count < 30; count += 1) await accept(fixture.tenant, id, 'Hang');
  await eventually(async () => {
    expect(await running(fixture.tenant)).toBe(concurrency);
  });

  const other = await fixture.service.tenant({ tier: 'free' });
  const agent = await other.newAgent({ model: 'local/llama3.2' });
  const requests: string[] = [];
  for (let count = 0; count < 6; count += 1) requests.push(await accept(other, agent.id, 'Hi'));
  for (const request of requests) {
    expect((await recordsOnceFinished(fixture.service, request)).invocation?.status).toBe(
      'succeeded',
    );
  }
  // No hanging invocation has ended by then, so nothing waited for one, and no more of them run than before.
  const { invocation } = fixture.service.database.prisma;
  expect(await invocation.count({ where: { agentId: id, finishedAt: { not: null } } })).toBe(0);
  expect(await running(fixture.tenant)).toBe(concurrency);
});

test('an account may have as many waiting or running as its tier allows, however many come at once', async () => {
  const { prisma } = fixture.service.database;
  const small = await fixture.service.tenant({ tier: 'free' });
  const { id } = await small.newAgent({ model: 'local/llama3.2' });
  const waiting: ServerResponse[] = [];
  fixture.provider.behave((response) => void waiting.push(response));
  const { id: others } = await fixture.newAgent();
  await prisma.invocation.createMany({
    data: Array.from({ length: tiers.free.asyncInvocations - 1 }, () => ({
      id: newId('req'),
      agentId: id,
      accountId: small.accountId,
      status: 'queued' as const,
      message: 'Later',
      availableAt: new Date(Date.now() + 3_600_000),
    })),
  });
  const answers = await Promise.all(
    [1, 2, 3].map(() => small.api.call('invokeAgent', asynchronously(id, 'Hi'))),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429]);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect(refused[0]?.body).toMatchObject({ error: { code: 'rate_limited', retry_after: 1 } });
  await accept(fixture.tenant, others, 'Hi');
  // Ended invocations free their place.
  await eventually(() => {
    expect(waiting).not.toHaveLength(0);
  });
  fixture.provider.behave(answer(chatCompletions, ['Done']));
  for (const response of waiting) answer(chatCompletions, ['Done'])(response);
  await eventually(() => accept(small, id, 'Hi'));
});

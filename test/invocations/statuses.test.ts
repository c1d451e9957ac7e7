/** Every documented status of Invoke Agent that no other file in this folder covers. */
import { expect, test } from '@jest/globals';
import { changeAgent } from '../../server/agents/agents.js';
import { apiClient, send } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { insertDeployment } from '../helpers/database/rows.js';
import {
  effectsOn,
  message,
  startServiceWithModel,
  useServiceWithModel,
} from './service-with-model.js';

const fixture = useServiceWithModel();
const agent = useFixture(() => fixture.tenant.newAgent());

test.each([
  ['no message', {}, 'message'],
  ['an empty message', { message: '' }, 'message'],
  ['a message of blanks', { message: ' \n\t\u00a0' }, 'message'],
  ['a message that is too long', { message: 'x'.repeat(100_001) }, 'message'],
  [
    'a session id that is too long',
    { message: 'Hi', context: { session_id: 'x'.repeat(257) } },
    'context.session_id',
  ],
  ['a NUL in its context', { message: 'Hi', context: { note: 'a\0b' } }, 'context.note'],
  ['an unknown field', { message: 'Hi', stream: true }, 'stream'],
])('400 for %s', async (_, body, field) => {
  const { error } = await fixture.tenant.api.expect('invokeAgent', 400, {
    path: { agent_id: agent.id },
    body,
  });
  expect(error.details?.map((detail) => detail.field)).toEqual([field]);
});

test('400 names the message when it is missing', async () => {
  const { error } = await fixture.tenant.api.expect('invokeAgent', 400, {
    path: { agent_id: agent.id },
    body: {},
  });
  expect(error.message).toBe('Missing required parameter: message');
});

test.each([
  ['plain', {}],
  ['streamed', { accept: 'text/event-stream' }],
  ['asynchronous', { prefer: 'respond-async' }],
])('400 says what a message of blanks lacks, in the %s form', async (_, headers) => {
  const { id } = await fixture.newAgent();
  const { error } = await fixture.tenant.api.expect(
    'invokeAgent',
    400,
    message(id, '\n \n', { headers }),
  );
  expect(error.details).toEqual([
    { field: 'message', error: 'must contain more than white space' },
  ]);
  expect(fixture.provider.received).toEqual([]);
  expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 0, memories: 0 });
});

test('401 without a key', async () => {
  await apiClient(fixture.service.url).expect('invokeAgent', 401, message(agent.id, 'Hi'));
});

test('403 for a read-only key', async () => {
  const { key } = await fixture.tenant.newKey({ permissions: ['read'] });
  await fixture.service.api(key).expect('invokeAgent', 403, message(agent.id, 'Hi'));
});

test("404 for an unknown agent, another account's, and one that the key cannot see", async () => {
  await fixture.tenant.api.expect('invokeAgent', 404, message('missing', 'Hi'));
  const other = await fixture.service.tenant();
  const { id } = await other.newAgent();
  await fixture.tenant.api.expect('invokeAgent', 404, message(id, 'Hi'));
  const { key } = await other.newKey({ agentId: id });
  const { id: second } = await other.newAgent();
  await fixture.service.api(key).expect('invokeAgent', 404, message(second, 'Hi'));
  await fixture.service.api(key).expect('invokeAgent', 200, message(id, 'Hi'));
});

test('404 once an agent is deleted; its name refers to the next agent of that name', async () => {
  const { id } = await fixture.tenant.newAgent({ name: 'passing' });
  await fixture.tenant.api.expect('invokeAgent', 200, message('passing', 'Hi'));
  await fixture.tenant.api.expect('deleteAgent', 200, { path: { agent_id: id } });
  await fixture.tenant.api.expect('invokeAgent', 404, message('passing', 'Hi'));
  await fixture.tenant.newAgent({ name: 'passing' });
  await fixture.tenant.api.expect('invokeAgent', 200, message('passing', 'Hi'));
});

test('405 for GET, with Allow', async () => {
  const address = new URL(`/v1/agents/${agent.id}/invoke`, fixture.service.url);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${fixture.tenant.key}` },
  });
  await response.text();
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST, OPTIONS');
});

test('409 for a stopped agent, also with an active deployment', async () => {
  const { id, name } = await fixture.tenant.newAgent();
  const { database } = fixture.service;
  await insertDeployment(database, id);
  await database.transaction((transaction) => changeAgent(transaction, id, { status: 'stopped' }));
  const { error } = await fixture.tenant.api.expect('invokeAgent', 409, message(id, 'Hi'));
  expect(error).toEqual({
    code: 'conflict',
    message: `The agent '${name}' is stopped. Its operator can start it.`,
  });
  const headers = { prefer: 'respond-async' };
  await fixture.tenant.api.expect('invokeAgent', 409, message(id, 'Hi', { headers }));
});

test('413 for a body that is too large, 415 for one that is not JSON', async () => {
  const { api } = fixture.tenant;
  const path = { agent_id: agent.id };
  const body = JSON.stringify({ message: 'Hi', context: { note: 'x'.repeat(1_100_000) } });
  await api.expect('invokeAgent', 413, { path, body });
  const headers = { 'content-type': 'text/plain' };
  await api.expect('invokeAgent', 415, { path, body: 'Hi', headers });
});

test('429 when the account has used up its rate limit', async () => {
  const tenant = await fixture.service.tenant({ tier: 'free' });
  const { id } = await tenant.newAgent();
  const replies = await Promise.all(
    Array.from({ length: 150 }, () => tenant.api.call('invokeAgent', message(id, 'Hi'))),
  );
  const refused = replies.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(replies.filter(({ status }) => status === 200).length + refused.length).toBe(150);
});

test('500 without the cause when the response cannot be recorded', async () => {
  const broken = await startServiceWithModel();
  try {
    const { id } = await broken.tenant.newAgent();
    const { prisma } = broken.service.database;
    await prisma.$executeRaw`ALTER TABLE memory_entries RENAME COLUMN content TO words`;
    const reply = await broken.tenant.api.call('invokeAgent', message(id, 'Hi'));
    expect(reply).toMatchObject({
      status: 500,
      body: {
        error: {
          code: 'server_error',
          message: 'Something went wrong on our side. Quote the request id when you report it.',
        },
      },
    });
    expect(await prisma.invocation.count()).toBe(0);
    const streamed = await send(broken.service.url, 'invokeAgent', {
      ...message(id, 'Hi'),
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${broken.tenant.key}`,
      },
    });
    const events = (await streamed.text()).trim().split('\n\n');
    expect(events.at(-1)).toMatch(/^id: .*\nevent: error\ndata: \{"code":"server_error"/);
    expect(events.filter((event) => !event.includes('event: delta'))).toHaveLength(1);
  } finally {
    await broken.stop();
  }
});

/** What a token reads in the agent's log: everything about its own user, and nothing that others said or caused. */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { LogEntry } from '../../generated/api.js';
import { newId } from '../../server/lib/data/typeid.js';
import { insertLogEntries } from '../../server/logs/logs.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { refusal } from '../helpers/model-provider/failures.js';
import { answer, callTools, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { useFiles } from '../helpers/programs/files.js';
import type { Api } from '../helpers/service/api.js';
import { refund, useToolFixtures } from '../invocations/tool-fixtures.js';

const secret = 'a secret of the refund bot, of at least 32 bytes';
const { fixture, shop, newRefundAgent } = useToolFixtures();
const files = useFiles();

let auth: object;
let agent_id: string;

beforeAll(async () => {
  const file = await files.write('secret', secret);
  auth = { type: 'jwt', secret: `\${file:${file}}`, roles: ['viewer'] };
});

beforeEach(async () => {
  ({ id: agent_id } = await newRefundAgent({ auth }, { log: 'arguments' }));
});

const as = (user_id: string) =>
  fixture.service.api(signToken(secret, { ...usualClaims(), user_id, role: 'viewer' }));

/** Everything that is logged about a call: a retry, a tool that fails with its arguments, and a model that fails in the end. */
async function failEverywhere(user: Api): Promise<void> {
  const quoting = { error: { message: 'I do not understand "My name is Wilhelmina."' } };
  shop.respond = () => [422, JSON.stringify(quoting)];
  fixture.provider.behave(refusal(500, quoting), refund, refusal(400, quoting));
  const body = { message: 'My name is Wilhelmina.', context: { session_id: 'secret plan' } };
  await user.expect('invokeAgent', 502, { path: { agent_id }, body });
}

const logOf = async (api: Api) => (await api.expect('getLogs', 200, { path: { agent_id } })).data;
const neutral = ({ id, timestamp, level, message, metadata: { request_id } }: LogEntry) => ({
  id,
  timestamp,
  level,
  message,
  metadata: { request_id },
});

test('every entry of its own invocation, with the texts of models and tools', async () => {
  await failEverywhere(as('ann'));
  const [own, all] = [await logOf(as('ann')), await logOf(fixture.tenant.api)];
  expect(own).toEqual(all.filter(({ metadata }) => metadata['user_id'] === 'ann'));
  expect(own.map(({ message }) => message.replace(/\d+ ms/, '… ms'))).toEqual([
    expect.stringMatching(/^Invocation failed/),
    'Model called again: 1 tool has answered',
    expect.stringMatching(/^Tool refund failed/),
    'Tool refund called',
    expect.stringMatching(/^Model call failed/),
  ]);
  const text = JSON.stringify(own);
  expect(text).toMatch(/"said":.*Wilhelmina/);
  expect(text).toContain('It is blue.');
});

test.each([
  ['another user', () => as('ann')],
  ['a key that names no user', () => fixture.tenant.api],
])('of the invocations of %s only time, level, message and ids', async (_whose, whose) => {
  await failEverywhere(whose());
  const all = await logOf(fixture.tenant.api);
  const seen = await logOf(as('bob'));
  expect(seen.map(neutral)).toEqual(all.map(neutral));
  expect(seen).toEqual(seen.map(neutral));
  expect(JSON.stringify(seen)).not.toMatch(/Wilhelmina|blue|secret plan|ann/);
});

test('the ids of the invocations of agents that ask and are asked, of other users as well', async () => {
  const { id } = await fixture.newAgent({
    name: 'asks-the-refund-bot',
    model: 'local/asks',
    policy: { auth },
    options: { tools: { maxSteps: 8, agents: [{ name: 'asked-bot', description: 'Knows.' }] } },
  });
  const { id: asked } = await fixture.newAgent({
    name: 'asked-bot',
    model: 'local/asked',
    policy: { auth },
  });
  fixture.provider.behave(
    callTools([{ name: 'ask_asked-bot', arguments: { message: 'Wilhelmina?' } }]),
    answer(chatCompletions, ['Yes.']),
  );
  const { data } = await as('ann').expect('invokeAgent', 200, {
    path: { agent_id: id },
    body: { message: 'Who is it?' },
  });
  const metadataOf = async (agent: string) =>
    (await as('bob').expect('getLogs', 200, { path: { agent_id: agent } })).data.map(
      ({ metadata }) => metadata,
    );
  const [child] = await metadataOf(asked);
  expect(child).toEqual({ request_id: child?.request_id, parent_request_id: data.request_id });
  const own = await metadataOf(id);
  expect(own).toContainEqual({
    request_id: data.request_id,
    child_request_id: child?.request_id,
  });
  expect(JSON.stringify(own)).not.toMatch(/Wilhelmina|ann/);
});

test('of entries that name no user, as before they did, only time, level, message and ids', async () => {
  const at = new Date();
  const webhook_id = newId('wh');
  const metadata = { webhook_id, tool: 'refund', arguments: '{"name":"Wilhelmina"}', said: 'No.' };
  const requestId = newId('req');
  const { accountId } = fixture.tenant;
  const written = { id: newId('log'), accountId, agentId: agent_id, at, requestId, metadata };
  await fixture.service.database.transaction((transaction) =>
    insertLogEntries(transaction, [{ ...written, level: 'warn', message: 'Tool refund failed' }]),
  );
  const [entry] = (await logOf(as('ann'))).filter(({ id }) => id === written.id);
  expect(entry?.metadata).toEqual({ request_id: requestId, webhook_id });
});

test('its own user only, if one agent answers several', async () => {
  fixture.provider.behave(answer(chatCompletions, ['Hello.']));
  for (const user of ['ann', 'bob']) {
    await as(user).expect('invokeAgent', 200, { path: { agent_id }, body: { message: 'Hello.' } });
  }
  const users = (await logOf(as('bob'))).flatMap(({ metadata }) => metadata['user_id'] ?? []);
  expect(users).toEqual(['bob']);
});

/** The built-in tool `recall`: a model searches the memory of the invocation's user, or of its session, and no other's. */
import { expect, test } from '@jest/globals';
import { refuse } from '../helpers/model-provider/failures.js';
import { recordsOf, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

interface Place {
  user_id?: string;
  session_id?: string;
}

const recall = { calls: [{ name: 'recall', arguments: { query: 'bicycle' } }] };

async function newAgent() {
  const { id } = await fixture.newAgent({ options: { recall: true } });
  const say = async (message: string, context: Place) => {
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message, context },
    });
    return data;
  };
  return { id, say };
}

const recalled = () =>
  fixture.provider
    .prompts()
    .at(-1)
    ?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
    .join('\n');

test('finds what the same user said in another session, and nothing of other users', async () => {
  const { say } = await newAgent();
  fixture.provider.behave('Noted.');
  await say('My bicycle is red.', { user_id: 'ann', session_id: 'one' });
  await say('My bicycle is blue.', { user_id: 'bob', session_id: 'one' });
  await say('The bicycle of nobody.', { session_id: 'one' });
  fixture.provider.behave(recall, 'It is red.');
  await say('Which colour?', { user_id: 'ann', session_id: 'two' });
  expect(recalled()).toContain('red');
  expect(recalled()).not.toMatch(/blue|nobody/);
});

test('finds in a session without a user only what was said in it without a user', async () => {
  const { say } = await newAgent();
  fixture.provider.behave('Noted.');
  await say('The bicycle is green.', { session_id: 'shared' });
  await say('My bicycle is blue.', { user_id: 'bob', session_id: 'shared' });
  await say('The bicycle is grey.', { session_id: 'other' });
  fixture.provider.behave(recall, 'It is green.');
  await say('Which colour?', { session_id: 'shared' });
  expect(recalled()).toContain('green');
  expect(recalled()).not.toMatch(/blue|grey/);
});

test('is not offered without a user and a session', async () => {
  const { say } = await newAgent();
  fixture.provider.behave('Hello.');
  await say('Hi', {});
  expect(fixture.provider.prompts()[0]?.tools).toEqual([]);
});

test('says that nothing was found, and leaves the key of a failed run free', async () => {
  const { id, say } = await newAgent();
  fixture.provider.behave(recall, 'I do not know.');
  const { request_id } = await say('Which colour?', { user_id: 'ann' });
  expect(recalled()).toBe('Nothing was found.');
  const { logs } = await recordsOf(fixture.service, request_id);
  expect(logs.map(({ message }) => message)).toEqual(
    expect.arrayContaining(['Tool recall called']),
  );
  fixture.provider.behave(recall, refuse);
  const { error } = await fixture.tenant.api.expect('invokeAgent', 502, {
    path: { agent_id: id },
    headers: { 'idempotency-key': 'recall-1' },
    body: { message: 'Which colour?', context: { user_id: 'ann' } },
  });
  expect(error.message).not.toContain('tools');
  fixture.provider.behave('Red.');
  await fixture.tenant.api.expect('invokeAgent', 200, {
    path: { agent_id: id },
    headers: { 'idempotency-key': 'recall-1' },
    body: { message: 'Which colour?', context: { user_id: 'ann' } },
  });
});

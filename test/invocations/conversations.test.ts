/** Long conversations: they stay within the model's context window, remember their tool calls, and never get stuck. */
import { describe, expect, test } from '@jest/globals';
import { purgeAll } from '../helpers/database/purging.js';
import { useToolFixtures } from './tool-fixtures.js';
import { message, messageIn, recordsOf } from './service-with-model.js';

const { fixture, shop, newToolAgent, manifestOf, apply } = useToolFixtures();

const words = (tokens: number) => 'word'.repeat(tokens);

async function say(agent: string, text: string, session = 'chat') {
  const { data } = await fixture.tenant.api.expect(
    'invokeAgent',
    200,
    messageIn(session, agent, text),
  );
  return data;
}

const lastPrompt = () => fixture.provider.prompts().at(-1);

describe('a session at the context window of its model', () => {
  test('answers every turn, and the log says what was left out', async () => {
    fixture.provider.configure({ model: { contextWindow: 4_000 } });
    fixture.provider.behave({ text: words(200) });
    const { name } = await fixture.newAgent();
    for (let turn = 1; turn <= 14; turn += 1) await say(name, `${turn}. ${words(200)}`);
    const { request_id } = await say(name, 'hi');
    const { logs } = await recordsOf(fixture.service, request_id);
    const warnings = logs.filter(({ level }) => level === 'warn');
    expect(warnings).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(
          /^The prompt was too long .*: \d+ earlier turns were left out$/,
        ),
        metadata: { turns_left_out: expect.any(Number) },
      },
    ]);
  });

  test('needs no rejection if historyTokens fits the window', async () => {
    fixture.provider.configure({ model: { contextWindow: 4_000 } });
    fixture.provider.behave({ text: words(200) });
    const { name } = await fixture.newAgent({ options: { historyTokens: 3_000 } });
    for (let turn = 1; turn <= 14; turn += 1) await say(name, words(200));
    expect(fixture.provider.received).toHaveLength(14);
    const starts = fixture.provider.prompts().map(({ messages }) => messages.length);
    expect(Math.max(...starts)).toBeLessThanOrEqual(15);
  });

  test('answers a message that is too long by itself with a 413, and goes on', async () => {
    fixture.provider.configure({ model: { contextWindow: 1_000 } });
    fixture.provider.behave('Hello.');
    const { name } = await fixture.newAgent();
    await say(name, 'hi');
    const { error } = await fixture.tenant.api.expect(
      'invokeAgent',
      413,
      messageIn('chat', name, words(2_000)),
    );
    expect(error).toMatchObject({
      code: 'payload_too_large',
      message: expect.stringMatching(/too long for the context window/),
      retryable: false,
    });
    expect(await say(name, 'hi')).toMatchObject({ response: 'Hello.' });
  });
});

describe('the next turn of a session', () => {
  const refund = { name: 'refund', arguments: { order_id: '5512', reason: 'late' } };

  test('knows the tool calls of the last one, and a search does not find them', async () => {
    const name = await newToolAgent();
    fixture.provider.behave({ calls: [refund] }, 'Refunded.', 'Yes, order 5512.');
    await say(name, 'Refund it.');
    await say(name, 'Did you?');
    expect(lastPrompt()?.messages).toMatchObject([
      { role: 'user', text: 'Refund it.' },
      { role: 'assistant', calls: [{ name: 'refund', arguments: refund.arguments }] },
      { role: 'tool', text: expect.stringContaining('refunded') },
      { role: 'assistant', text: 'Refunded.' },
      { role: 'user', text: 'Did you?' },
    ]);
    expect(shop.received).toHaveLength(1);
    const found = await fixture.tenant.api.expect('searchMemory', 200, {
      path: { agent_id: name },
      body: { query: 'late' },
    });
    expect(found.data).toEqual([]);
  });

  test('is recorded whatever names and texts the model and the tool write', async () => {
    const name = await newToolAgent();
    shop.respond = () => [200, 'a lone surrogate: \\ud800'];
    const odd = [
      { name: 'no\u0000such \ud800tool', arguments: {} },
      { name: 'refund', arguments: { order_id: 'a\u0000b', reason: '\ud800' } },
      { name: 'refund', arguments: '{"order_id": "\\u0000' },
    ];
    fixture.provider.behave({ calls: odd }, 'Refunded.', 'Yes.');
    await say(name, 'Refund it.');
    await say(name, 'Did you?');
    expect(lastPrompt()?.messages).toHaveLength(7);
  });

  test('gets long results shortened', async () => {
    const name = await newToolAgent();
    shop.respond = () => [200, JSON.stringify({ text: 'x'.repeat(20_000) })];
    fixture.provider.behave({ calls: [refund] }, 'Refunded.', 'Yes.');
    await say(name, 'Refund it.');
    await say(name, 'Did you?');
    const [, , result] = lastPrompt()?.messages ?? [];
    expect(result?.text.length).toBeLessThan(2_100);
    expect(result?.text).toMatch(/\[cut: 20011 characters in all\]$/);
  });

  test('knows nothing of a turn that is not remembered', async () => {
    const name = await newToolAgent();
    fixture.provider.behave({ calls: [refund] }, 'Refunded.', 'What?');
    await fixture.tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: name },
      body: { message: 'Refund it.', context: { session_id: 'chat', remember: false } },
    });
    await say(name, 'Did you?');
    expect(lastPrompt()?.messages).toHaveLength(1);
  });

  test('knows nothing of it after the memory was cleared', async () => {
    const name = await newToolAgent();
    fixture.provider.behave({ calls: [refund] }, 'Refunded.', 'What?');
    await say(name, 'Refund it.');
    await fixture.tenant.api.expect('clearMemory', 200, { path: { agent_id: name } });
    await say(name, 'Did you?');
    expect(lastPrompt()?.messages).toHaveLength(1);
    await purgeAll(fixture.service.database);
    const { prisma } = fixture.service.database;
    const { id: agentId } = await prisma.agent.findFirstOrThrow({ where: { name } });
    const kept = await prisma.memoryEntry.findMany({ where: { agentId } });
    expect(JSON.stringify(kept)).not.toContain('late');
  });

  test('is answered after a blank answer to the results of tools, also where roles must alternate', async () => {
    fixture.provider.configure({ rolesMustAlternate: true });
    const name = await newToolAgent();
    fixture.provider.behave({ calls: [refund] }, '\n\n', 'Yes.');
    await say(name, 'Refund it.');
    expect(await say(name, 'Did you?')).toMatchObject({ response: 'Yes.' });
  });

  test('is told that the answer was cut', async () => {
    const { name } = await fixture.newAgent();
    fixture.provider.behave({ text: 'Once upon', finish: 'length' }, 'a time.');
    expect(await say(name, 'Tell me.')).toMatchObject({ finish_reason: 'length' });
    await say(name, 'Go on.');
    expect(lastPrompt()?.messages[1]?.text).toMatch(/^Once upon\s+\[The answer was cut/);
  });
});

test('settings of the manifest reach the model', async () => {
  const { code, stderr } = await apply({
    ...manifestOf('tuned'),
    model: 'local/o3-mini',
    maxOutputTokens: 500,
    reasoning: 'low',
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  fixture.provider.behave('Hello.');
  await fixture.tenant.api.expect('invokeAgent', 200, message('tuned', 'Hi'));
  expect(lastPrompt()).toMatchObject({ maxOutput: 500, reasoning: 'low', temperature: undefined });
});

test('a setting that the model does not take is said once, however often the model is called', async () => {
  const { code } = await apply({
    ...manifestOf('lukewarm'),
    model: 'local/o3-mini-of-lukewarm',
    temperature: 0.3,
  });
  expect(code).toBe(0);
  fixture.provider.configure({ model: { reasoning: true } });
  fixture.provider.expectRejections(/temperature/);
  const refund = { name: 'refund', arguments: { order_id: '1', reason: 'late' } };
  fixture.provider.behave({ calls: [refund] }, { calls: [refund] }, 'Refunded.');
  const { data } = await fixture.tenant.api.expect('invokeAgent', 200, message('lukewarm', 'Hi'));
  const { logs } = await recordsOf(fixture.service, data.request_id);
  const said = logs.filter(({ message: text }) => text.startsWith('A setting is not sent'));
  expect(said).toHaveLength(1);
});

/** A budget cannot be bypassed by ending calls before the provider reports their usage. */
import { expect, test } from '@jest/globals';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { hang } from '../helpers/model-provider/failures.js';
import {
  answer,
  chatCompletions,
  countedCompletions,
  cut,
  stall,
} from '../helpers/model-provider/wire-formats.js';
import {
  recordsOnceFinished,
  message,
  type NewAgent,
  useServiceWithModel,
} from '../invocations/service-with-model.js';

const fixture = useServiceWithModel();
const window = '31d';

const agentWith = (tokens: number, agent: NewAgent = {}) =>
  fixture.newAgent({ budget: { tokens, window }, ...agent });

async function usedBy(ownerId: string): Promise<number> {
  const found = await fixture.service.database.prisma.budgetWindow.findFirst({
    where: { ownerId },
  });
  return Number(found?.tokens ?? 0);
}

/** Reads the response up to this text, and disconnects. Returns the request id. */
async function leaveAfter(text: string, agentId: string, said: string): Promise<string> {
  const client = new AbortController();
  const response = await send(fixture.service.url, 'invokeAgent', {
    ...message(agentId, said),
    headers: { authorization: `Bearer ${fixture.tenant.key}`, accept: 'text/event-stream' },
    signal: client.signal,
  });
  let received = '';
  for await (const chunk of response.body ?? []) {
    received += Buffer.from(chunk).toString();
    if (received.includes(text)) break;
  }
  client.abort();
  return response.headers.get('x-request-id') ?? '';
}

test('a client that disconnects after the last word is charged for the prompt and the response', async () => {
  const words = 'word '.repeat(400);
  fixture.provider.behave(stall(chatCompletions, [words, 'The end.']));
  const { id } = await agentWith(1_000, { instructions: 'Be verbose. '.repeat(100) });
  const requestId = await leaveAfter('The end.', id, 'Tell me everything.');
  const { invocation } = await recordsOnceFinished(fixture.service, requestId);
  // 1,200 characters of instructions and 2,000 of the response, at four per token.
  expect(invocation).toMatchObject({ status: 'failed', errorCode: 'cancelled' });
  expect(invocation?.tokensUsed).toBeGreaterThan(800);
  expect(invocation?.tokensUsed).toBeLessThan(850);
  expect(await usedBy(id)).toBe(invocation?.tokensUsed);
  await leaveAfter('The end.', id, 'And again.');
  await eventually(async () => {
    expect(await usedBy(id)).toBeGreaterThan(1_600);
  });
  await fixture.tenant.api.expect('invokeAgent', 429, message(id, 'And again.'));
});

test('a call that is aborted by the timeout is charged for its prompt', async () => {
  fixture.provider.behave(hang);
  const { id } = await agentWith(100, { timeoutMs: 5_000 });
  await fixture.tenant.api.expect('invokeAgent', 504, message(id, 'x'.repeat(4_000)));
  expect(await usedBy(id)).toBeGreaterThan(1_000);
  await fixture.tenant.api.expect('invokeAgent', 429, message(id, 'Hi'));
});

test('a connection that the provider drops after some text is charged for that text', async () => {
  fixture.provider.behave(cut(chatCompletions, ['word '.repeat(400)]));
  const { id } = await agentWith(1_000);
  await fixture.tenant.api.expect('invokeAgent', 502, message(id, 'Hi'));
  expect(await usedBy(id)).toBeGreaterThanOrEqual(500);
});

test('usage that the provider reported for an earlier call is not estimated', async () => {
  const schema = { type: 'object' as const };
  fixture.provider.behave(answer(chatCompletions, ['No ', 'JSON.']), hang);
  const { id } = await agentWith(1_000, { options: { output: { schema } } });
  const client = new AbortController();
  const { signal } = client;
  const left = fixture.tenant.api.call('invokeAgent', { ...message(id, 'Hi'), signal });
  await fixture.provider.asked(2);
  client.abort();
  await expect(left).rejects.toThrow('abort');
  await eventually(async () => {
    const used = await usedBy(id);
    // 7 as reported, and the second prompt, with the schema and the correction.
    expect(used).toBeGreaterThan(7 + 10);
    expect(used).toBeLessThan(7 + 150);
  });
});

test('text after a usage report is estimated', async () => {
  fixture.provider.behave((res) => {
    countedCompletions.say(res, ['One ']);
    chatCompletions.say(res, ['word '.repeat(400), 'The end.']);
  });
  const { id } = await agentWith(1_000);
  const { invocation } = await recordsOnceFinished(
    fixture.service,
    await leaveAfter('The end.', id, 'Hi'),
  );
  // 6 as reported, and 2,008 characters since.
  expect(invocation?.tokensUsed).toBe(6 + 502);
});

test.each([429, 500, 401])('a call that is rejected with %i costs nothing', async (status) => {
  fixture.provider.behave((res) => void res.writeHead(status).end('{}'));
  const { id } = await agentWith(1_000);
  await fixture.tenant.api.call('invokeAgent', message(id, 'Hi'));
  expect(await usedBy(id)).toBe(0);
});

test('a successful call costs the reported usage, without an estimate', async () => {
  const { id } = await agentWith(1_000);
  const { data } = await fixture.tenant.api.expect(
    'invokeAgent',
    200,
    message(id, 'x'.repeat(4_000)),
  );
  expect(data.tokens_used).toBe(7);
  expect(await usedBy(id)).toBe(7);
});

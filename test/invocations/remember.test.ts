/** `remember: false`, in the manifest or in the context of a request, stores neither messages nor users. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { tablesContaining } from '../helpers/database/tables-containing.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import { recordsOnceFinished, message, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const said = { message: 'My name is Grace.', context: { user_id: 'grace', session_id: 'chat' } };
const secretly = { ...said, context: { ...said.context, plan: 'gold', remember: false } };

/** The request id of a finished invocation, for each form. */
const forms = {
  plain: async (agentId: string, body: object) => {
    const { data } = await fixture.tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: agentId },
      body,
    });
    return data.request_id;
  },
  streamed: async (agentId: string, body: object) => {
    const headers = { accept: 'text/event-stream' };
    const call = { path: { agent_id: agentId }, headers, body };
    const reply = await fixture.tenant.api.call('invokeAgent', call);
    return reply.headers.get('x-request-id') ?? '';
  },
  asynchronous: async (agentId: string, body: object) => {
    const headers = { prefer: 'respond-async', 'idempotency-key': randomUUID() };
    const call = { path: { agent_id: agentId }, headers, body };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    return data.request_id;
  },
};

describe.each(Object.entries(forms))('a %s invocation with remember: false', (form, run) => {
  test('in its request stores no memory and no user', async () => {
    const { id } = await fixture.newAgent();
    const traces = await recordsOnceFinished(fixture.service, await run(id, secretly));
    expect(traces.memory).toEqual([]);
    expect(traces.invocation).toMatchObject({
      status: 'succeeded',
      userId: null,
      sessionId: null,
      context: null,
      message: null,
      tokensUsed: 7,
    });
    expect(traces.logs.map(({ level }) => level)).toEqual(['info']);
    expect(JSON.stringify(traces.logs)).not.toMatch(/grace|session_id|user_id/);
  });

  test('in its manifest cannot be overridden by its request', async () => {
    const { id } = await fixture.newAgent({ options: { remember: false } });
    const user = `user-${form}`;
    const context = { user_id: user, session_id: `of ${user}`, remember: true };
    const body = { message: `I am ${user}.`, context };
    const traces = await recordsOnceFinished(fixture.service, await run(id, body));
    expect(traces.memory).toEqual([]);
    expect(traces.invocation).toMatchObject({ userId: null, sessionId: null, context: null });
    expect(await tablesContaining(fixture.service.database, user)).toEqual([]);
  });
});

describe('an invocation with remember: false', () => {
  test('sees the history of its session, which does not contain it afterwards', async () => {
    const { id } = await fixture.newAgent();
    await forms.plain(id, { ...said, message: 'Hello' });
    await forms.plain(id, secretly);
    await forms.plain(id, { ...said, message: 'Who am I?' });
    const prompts = fixture.provider.received.map(
      ({ body }) => (body as { messages: { content: string }[] }).messages,
    );
    const contents = prompts.map((messages) => messages.map(({ content }) => content));
    expect(contents[1]).toEqual(['Hello', 'On its way.', 'My name is Grace.']);
    expect(contents[2]).toEqual(['Hello', 'On its way.', 'Who am I?']);
    expect(await fixture.service.database.prisma.sessionLease.count()).toBe(0);
  });

  test('is not found by a search', async () => {
    const { id } = await fixture.newAgent();
    await forms.plain(id, { ...secretly, message: 'Zanzibar' });
    const { data } = await fixture.tenant.api.expect('searchMemory', 200, {
      path: { agent_id: id },
      body: { query: 'Zanzibar' },
    });
    expect(data).toEqual([]);
  });

  test('that fails stores no more than a successful one', async () => {
    fixture.provider.behave((res) => void res.writeHead(401).end('{}'));
    const { id } = await fixture.newAgent();
    const headers = { prefer: 'respond-async' };
    const call = { path: { agent_id: id }, headers, body: secretly };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    const { invocation, logs } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation).toMatchObject({
      status: 'failed',
      userId: null,
      context: null,
      message: null,
    });
    expect(JSON.stringify(logs)).not.toContain('grace');
  });

  test('requires a boolean', async () => {
    const { id } = await fixture.newAgent();
    const { error } = await fixture.tenant.api.expect('invokeAgent', 400, {
      ...message(id, 'Hi'),
      body: { message: 'Hi', context: { remember: 'no' } },
    });
    expect(error.details).toEqual([{ field: 'context.remember', error: expect.any(String) }]);
  });

  test('does not affect other invocations of the session', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    const { id } = await fixture.newAgent();
    const bodies = Array.from({ length: 20 }, (_, index) => ({
      message: `Message ${index}`,
      context: { user_id: `user ${index}`, remember: index % 2 === 0 },
    }));
    await Promise.all(bodies.map((body) => forms.plain(id, body)));
    const { memoryEntry, invocation } = fixture.service.database.prisma;
    expect(await memoryEntry.count({ where: { agentId: id } })).toBe(20);
    expect(await invocation.count({ where: { agentId: id, userId: null } })).toBe(10);
  });
});

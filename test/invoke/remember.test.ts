/** `remember: false`, in the manifest or in the context of a request, leaves nothing of who said what. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { tablesContaining } from '../helpers/tables-containing.js';
import { answer, chatCompletions } from '../runtime/wire-formats.js';
import { recordsOnceFinished, message, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const said = { message: 'My name is Grace.', context: { user_id: 'grace', session_id: 'chat' } };
const secretly = { ...said, context: { ...said.context, plan: 'gold', remember: false } };

/** The request id of an invocation that has ended, in each form. */
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

describe.each(Object.entries(forms))(
  'a %s invocation that is not to be remembered',
  (form, run) => {
    test('by its request leaves no memory, and no trace of the user', async () => {
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

    test('by its manifest cannot be made remembered by its request', async () => {
      const { id } = await fixture.newAgent({ options: { remember: false } });
      const user = `user-${form}`;
      const context = { user_id: user, session_id: `of ${user}`, remember: true };
      const body = { message: `I am ${user}.`, context };
      const traces = await recordsOnceFinished(fixture.service, await run(id, body));
      expect(traces.memory).toEqual([]);
      expect(traces.invocation).toMatchObject({ userId: null, sessionId: null, context: null });
      expect(await tablesContaining(fixture.service.database, user)).toEqual([]);
    });
  },
);

describe('an invocation that is not to be remembered', () => {
  test('follows on its session, which does not know of it afterwards', async () => {
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

  test('is found by no search', async () => {
    const { id } = await fixture.newAgent();
    await forms.plain(id, { ...secretly, message: 'Zanzibar' });
    const { data } = await fixture.tenant.api.expect('searchMemory', 200, {
      path: { agent_id: id },
      body: { query: 'Zanzibar' },
    });
    expect(data).toEqual([]);
  });

  test('that fails leaves no more than one that is answered', async () => {
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

  test('says so with a boolean', async () => {
    const { id } = await fixture.newAgent();
    const { error } = await fixture.tenant.api.expect('invokeAgent', 400, {
      ...message(id, 'Hi'),
      body: { message: 'Hi', context: { remember: 'no' } },
    });
    expect(error.details).toEqual([{ field: 'context.remember', error: expect.any(String) }]);
  });

  test('is one of many that are: the others are remembered as ever', async () => {
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

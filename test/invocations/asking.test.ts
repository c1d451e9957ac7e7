/** Agents that ask agents: what they are told, what is recorded, and what it costs. */
import { describe, expect, test } from '@jest/globals';
import { status } from '../helpers/model-provider/failures.js';
import { reply } from '../helpers/model-provider/reply.js';
import { asking, saying, useAskingAgents } from './asking-agents.js';
import { streamed } from './event-reader.js';
import { countsOf, message, recordsOf } from './service-with-model.js';

const { fixture, tenant, newAgent, script, ask, resultsOf, invocations } = useAskingAgents();

describe('an agent that is asked', () => {
  test('answers the model of the other one, as an invocation of its own', async () => {
    const boss = await newAgent('boss', { asks: ['clerk'] });
    const clerk = await newAgent('clerk');
    script({
      boss: [asking(['clerk', 'Which colour is it?']), saying('It is red.')],
      clerk: [saying('Red.')],
    });
    const data = await ask('boss', 'Which colour?', { user_id: 'ann', session_id: 'chat' });
    expect(data.response).toBe('It is red.');
    expect(resultsOf('boss')).toEqual(['Red.']);
    const rows = await invocations();
    expect(rows.map(({ agent, userId, sessionId }) => ({ agent, userId, sessionId }))).toEqual([
      { agent: 'boss', userId: 'ann', sessionId: 'chat' },
      { agent: 'clerk', userId: 'ann', sessionId: null },
    ]);
    const child = rows[1]?.id ?? '';
    const own = await recordsOf(fixture.service, data.request_id);
    expect(own.logs.map(({ message: text }) => text.replace(/ \d+ ms/, ''))).toEqual([
      'Tool ask_clerk called',
      'Tool ask_clerk succeeded after',
      expect.stringContaining('Model called again'),
      'Invocation answered in',
    ]);
    expect(own.logs[1]?.metadata).toMatchObject({
      child_request_id: child,
      child_agent_id: clerk.id,
    });
    const asked = await recordsOf(fixture.service, child);
    expect(asked.logs.map(({ metadata }) => metadata)).toEqual([
      expect.objectContaining({
        parent_request_id: data.request_id,
        parent_agent_id: boss.id,
        user_id: 'ann',
      }),
    ]);
    expect(asked.memory).toEqual([
      { role: 'user', content: 'Which colour is it?', sessionId: null, userId: 'ann' },
      { role: 'agent', content: 'Red.', sessionId: null, userId: 'ann' },
    ]);
  });

  test('is offered as a tool with one parameter', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    script({ boss: [saying('Nothing to ask.')] });
    await ask('boss');
    expect(fixture.provider.prompts()[0]?.tools).toMatchObject([
      { name: 'ask_clerk', description: 'Knows more.', parameters: { required: ['message'] } },
    ]);
  });

  test('streams nothing to the caller of the other one but its tool events', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk');
    script({ boss: [asking(['clerk', 'Well?']), saying('Yes.')], clerk: [saying('Secretly.')] });
    const { events } = await streamed(fixture.service.url, tenant().key, message('boss', 'Hi'));
    expect(events.map(({ event }) => event)).toEqual(['tool', 'tool', 'delta', 'done']);
    expect(JSON.stringify(events)).not.toContain('Secretly');
  });

  test('gets the context of the request, which agents that run elsewhere need', async () => {
    await newAgent('boss', { asks: ['echo'] });
    await newAgent('echo', { model: 'builtin/echo' });
    script({ boss: [asking(['echo', 'Say this.']), saying('Said.')] });
    await ask('boss', 'Hi', { user_id: 'ann', session_id: 'one', plan: 'gold' });
    const child = (await invocations()).find(({ agent }) => agent === 'echo');
    expect(child?.context).toEqual({ user_id: 'ann', plan: 'gold' });
    expect(resultsOf('boss')).toEqual(['Say this.']);
  });

  test('gets a question that can be stored, whatever the model writes', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    const { id } = await newAgent('clerk');
    script({ boss: [asking(['clerk', 'a\0b']), saying('Done.')], clerk: [saying('Yes.')] });
    await ask('boss', 'Hi', { user_id: 'ann' });
    expect(resultsOf('boss')).toEqual(['Yes.']);
    const stored = await fixture.service.database.prisma.memoryEntry.findMany({
      where: { agentId: id, role: 'user' },
    });
    expect(stored.map(({ content }) => content)).toEqual(['a\uFFFDb']);
  });

  test('remembers nothing if the request says so, or if the other agent never does', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('monk', { asks: ['clerk'], options: { remember: false } });
    const { id: clerk } = await newAgent('clerk');
    const turns = [asking(['clerk', 'My secret.']), saying('Kept.')];
    script({ boss: turns, monk: turns, clerk: [saying('Kept.')] });
    await ask('boss', 'Psst', { user_id: 'ann', remember: false });
    await ask('monk', 'Psst', { user_id: 'ann' });
    const { prisma } = fixture.service.database;
    const where = { agentId: clerk };
    expect(await prisma.memoryEntry.count({ where })).toBe(0);
    expect(await prisma.invocation.findMany({ where })).toMatchObject([
      { userId: null, context: null },
      { userId: null, context: null },
    ]);
    expect(JSON.stringify(await prisma.logEntry.findMany({ where }))).not.toContain('ann');
  });
});

describe('of a tree of three levels with five agents each', () => {
  const names = ['one', 'two', 'three', 'four', 'five'];

  async function askTree() {
    await newAgent('root', { asks: ['head'] });
    await newAgent('head', { asks: ['mid'] });
    await newAgent('mid', { asks: ['leaf'] });
    await newAgent('leaf');
    const five = (agent: string) => asking(...names.map((name) => [agent, name] as const));
    script({
      root: [five('head'), saying('All done.')],
      head: [five('mid'), saying('Head.')],
      mid: [five('leaf'), saying('Mid.')],
      leaf: [saying('Leaf.')],
    });
    return ask('root');
  }

  test('there is one answer, the caller is told the sum, and each row counts its own', async () => {
    const data = await askTree();
    expect(data.response).toBe('All done.');
    const asks = 31;
    const [runs, leaves] = [asks, 125];
    const input = runs * 110 + leaves * 10;
    const output = runs * 11 + leaves;
    expect(data).toMatchObject({
      tokens_used: input + output,
      usage: { input_tokens: input, output_tokens: output },
    });
    const rows = await invocations();
    expect(rows).toHaveLength(156);
    expect(rows[0]?.tokensUsed).toBe(121);
    const sum = rows.reduce((tokens, row) => tokens + (row.tokensUsed ?? 0), 0);
    expect(sum).toBe(input + output);
    const { logs } = await recordsOf(fixture.service, data.request_id);
    expect(logs.at(-1)?.metadata).toMatchObject({
      tokens_used: input + output,
      input_tokens: input,
      own_tokens: 121,
    });
    const agents = await fixture.service.database.prisma.agent.findMany({
      where: { accountId: tenant().accountId },
    });
    const counts = await Promise.all(agents.map(({ id }) => countsOf(fixture.service, id)));
    expect(counts.reduce((tokens, count) => tokens + count.tokens, 0)).toBe(input + output);
    expect(counts.reduce((all, count) => all + count.invocations, 0)).toBe(156);
  }, 60_000);
});

describe('the other model is told', () => {
  test.each([
    ['that there is no such agent', {}, /there is no agent 'clerk'/],
    ['that it is stopped', { status: 'stopped' as const }, /'clerk' is stopped/],
    [
      'that its budget is used up',
      { budget: { tokens: 1, window: '31d' } },
      /The agent has used its budget of 1 tokens/,
    ],
  ])('%s', async (_, settings, said) => {
    await newAgent('boss', { asks: ['clerk'] });
    const turns = [asking(['clerk', 'Well?']), saying('It did not work.')];
    script({ boss: turns, clerk: [saying('Yes.')] });
    if (Object.keys(settings).length > 0) {
      const { status: state, ...more } = { status: undefined, ...settings };
      const { id } = await newAgent('clerk', more);
      // The first answer uses up the budget.
      if ('budget' in more) await ask('clerk');
      const { prisma } = fixture.service.database;
      if (state) await prisma.agent.update({ where: { id }, data: { status: state } });
    }
    const { response } = await ask('boss');
    expect(response).toBe('It did not work.');
    expect(resultsOf('boss')).toEqual([expect.stringMatching(said)]);
  });

  test('how it failed, in the words that a caller would get, and the tokens count', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk', { asks: ['helper'] });
    await newAgent('helper');
    script({
      boss: [asking(['clerk', 'Well?']), saying('It failed.')],
      clerk: [asking(['helper', 'Help.']), status(400)],
      helper: [saying('Here.')],
    });
    const data = await ask('boss');
    expect(resultsOf('boss')).toEqual([
      'The model provider failed to answer. The agent had called tools, whose effects remain.',
    ]);
    expect(data.tokens_used).toBe(110 + 11 + 110 + 11);
    expect(data.usage).toMatchObject({ input_tokens: 220, output_tokens: 22 });
    const rows = await invocations();
    expect(rows.map(({ agent, status: state, tokensUsed }) => [agent, state, tokensUsed])).toEqual([
      ['boss', 'succeeded', 121],
      ['clerk', 'failed', 110],
      ['helper', 'succeeded', 11],
    ]);
  });

  test('that agents ask each other at most three deep, so that a cycle ends', async () => {
    await newAgent('self', { asks: ['self'] });
    script({ self: [asking(['self', 'Again.']), saying('Enough.')] });
    const { response, tokens_used } = await ask('self');
    expect(response).toBe('Enough.');
    const rows = await invocations();
    expect(rows.map(({ status: state }) => state)).toEqual(Array(4).fill('succeeded'));
    expect(tokens_used).toBe(4 * 121);
    const told = fixture.provider
      .prompts()
      .flatMap(({ messages }) =>
        messages.flatMap((said) => (said.role === 'tool' ? said.text : [])),
      );
    expect(told[0]).toBe('Not asked: agents ask each other at most 3 deep.');
  });

  test('that it was deleted meanwhile', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk');
    script({
      boss: [asking(['clerk', 'Well?']), saying('It is gone.')],
      clerk: [
        async (res, request) => {
          await tenant().api.expect('deleteAgent', 200, { path: { agent_id: 'clerk' } });
          await reply(saying('Too late.'))(res, request);
        },
      ],
    });
    expect((await ask('boss')).response).toBe('It is gone.');
    expect(resultsOf('boss')).toEqual([expect.stringMatching(/no agent 'clerk'/i)]);
  });

  test.each([
    ['white space', ' \n ', /the message is empty/],
    ['no text', 5, /do not fit its schema/],
    ['too much', 'x'.repeat(100_001), /do not fit its schema/],
  ])('that %s is no question', async (_, text, told) => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk');
    const wrong = { calls: [{ name: 'ask_clerk', arguments: { message: text } }] };
    script({ boss: [wrong, saying('Sorry.')], clerk: [saying('Yes.')] });
    await ask('boss');
    expect(resultsOf('boss')).toEqual([expect.stringMatching(told)]);
    expect(await invocations()).toHaveLength(1);
  });

  test('that it cannot wait for approval, and nobody can approve anything', async () => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk', { asks: [{ name: 'helper', approval: 'caller' }] });
    await newAgent('helper');
    script({
      boss: [asking(['clerk', 'Well?']), saying('It needs a person.')],
      clerk: [asking(['helper', 'Help.'])],
    });
    await ask('boss', 'Hi', { user_id: 'ann' });
    expect(resultsOf('boss')).toEqual([
      expect.stringMatching(/needs approval to call ask_helper.*cannot wait/),
    ]);
    const { prisma } = fixture.service.database;
    expect(await prisma.pausedRun.count()).toBe(0);
    expect(await prisma.runStep.count()).toBe(0);
    const rows = await invocations();
    expect(rows.map(({ agent, status: state, errorCode }) => [agent, state, errorCode])).toEqual([
      ['boss', 'succeeded', null],
      ['clerk', 'failed', 'cancelled'],
    ]);
  });
});

test('a person can be asked whether an agent may be asked', async () => {
  await newAgent('boss', { asks: [{ name: 'clerk', approval: 'caller' }] });
  await newAgent('clerk');
  script({ boss: [asking(['clerk', 'Well?']), saying('Yes.')], clerk: [saying('Yes, sir.')] });
  const paused = await ask('boss');
  expect(paused).toMatchObject({
    status: 'requires_approval',
    tokens_used: 110,
    approvals: [{ call_id: 'call_1', tool: 'ask_clerk', arguments: { message: 'Well?' } }],
  });
  expect(await invocations()).toHaveLength(1);
  const decisions = [{ call_id: 'call_1', decision: 'approve' }];
  const { data } = await tenant().api.expect('invokeAgent', 200, {
    path: { agent_id: 'boss' },
    body: { message: 'Go.', resume: { request_id: paused.request_id, decisions } },
  });
  expect(data).toMatchObject({ response: 'Yes.', tokens_used: 11 + 11 });
  expect(await invocations()).toHaveLength(3);
});

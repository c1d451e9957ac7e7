/** `summarize: true`: turns that no longer fit are folded into a summary, after the answer, once per several turns. */
import { expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import type { ModelPrompt } from '../helpers/model-provider/prompts.js';
import { replyTo } from '../helpers/model-provider/provider.js';
import { useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const isSummary = ({ system }: ModelPrompt) => system.startsWith('You keep the summary');
const summaries = () => fixture.provider.prompts().filter(isSummary);
const turns = () => fixture.provider.prompts().filter((prompt) => !isSummary(prompt));

/** An agent that gets four turns, and whose summaries are numbered. */
async function newAgent() {
  let written = 0;
  fixture.provider.behave(
    replyTo((prompt) => {
      if (!isSummary(prompt)) return 'Noted.';
      written += 1;
      return `Summary ${written}.`;
    }),
  );
  const { id } = await fixture.newAgent({ historyLimit: 4, options: { summarize: true } });
  const say = async (message: string, context: object = {}) => {
    await fixture.tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: id },
      body: { message, context: { session_id: 'chat', user_id: 'ann', ...context } },
    });
  };
  return { id, say };
}

/** Says numbered messages, and waits for each summary to be stored. */
async function saySo(agent: Awaited<ReturnType<typeof newAgent>>, from: number, to: number) {
  for (let turn = from; turn <= to; turn += 1) {
    await agent.say(`Fact ${turn}.`);
    await eventually(async () => {
      const stored = await fixture.service.database.prisma.memoryEntry.findMany({
        where: { agentId: agent.id, content: 'Noted.' },
      });
      const written = stored.filter(({ turn: own }) => JSON.stringify({ own }).includes('Summary'));
      expect(written).toHaveLength(summaries().length);
    });
  }
}

test('the model gets the summary in place of the turns that it covers', async () => {
  const agent = await newAgent();
  await saySo(agent, 1, 12);
  expect(summaries().length).toBeGreaterThanOrEqual(3);
  expect(summaries().length).toBeLessThanOrEqual(6);
  expect(summaries()[1]?.messages[0]?.text).toContain('Summary so far:\nSummary 1.');
  const last = turns().at(-1)?.messages ?? [];
  expect(last[0]?.text).toContain(`Summary ${summaries().length}.`);
  expect(last.length).toBeLessThanOrEqual(2 * 4 + 1);
  // Each fact is in a summary or in the history.
  const covered = [...summaries(), turns().at(-1)].map((prompt) => JSON.stringify(prompt));
  for (let turn = 1; turn <= 12; turn += 1) {
    expect(covered.some((text) => text.includes(`Fact ${turn}.`))).toBe(true);
  }
});

test('a summary is of its user and session, and is gone when the memory is cleared', async () => {
  const agent = await newAgent();
  await saySo(agent, 1, 6);
  expect(summaries().length).toBeGreaterThan(0);
  await agent.say('And me?', { user_id: 'bob' });
  expect(JSON.stringify(turns().at(-1))).not.toContain('Summary');
  await fixture.tenant.api.expect('clearMemory', 200, { path: { agent_id: agent.id } });
  await agent.say('Do you know me?');
  expect(JSON.stringify(turns().at(-1))).not.toContain('Summary');
});

test('a message that is not remembered starts no summary', async () => {
  const agent = await newAgent();
  for (let turn = 1; turn <= 6; turn += 1) await agent.say(`Secret ${turn}.`, { remember: false });
  expect(summaries()).toEqual([]);
});

test('a search finds no summary', async () => {
  const agent = await newAgent();
  await saySo(agent, 1, 6);
  const { data } = await fixture.tenant.api.expect('searchMemory', 200, {
    path: { agent_id: agent.id },
    body: { query: 'summary' },
  });
  expect(data).toEqual([]);
});

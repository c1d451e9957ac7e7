/** Agents as tools in manifests: what is refused, what is only a warning, and what a deployment freezes. */
import { describe, expect, test } from '@jest/globals';
import { useToolFixtures } from '../invocations/tool-fixtures.js';

const { fixture, apply, diff } = useToolFixtures();

const withAgents = (agents: object[], more: object = {}, tools: object = {}) => ({
  name: 'front-desk',
  model: 'local/llama3.2',
  ...more,
  tools: { agents, ...tools },
});
const clerk = { name: 'clerk', description: 'Knows the files.' };
const http = {
  name: 'ask_clerk',
  description: 'Another tool of that name.',
  url: 'https://files.acme.example/clerk',
  parameters: { type: 'object' },
};

describe('a manifest is rejected if', () => {
  test.each<[string, () => object, RegExp]>([
    [
      'two agents have the same name',
      () => withAgents([clerk, clerk]),
      /tools\.agents\.1\.name results in a second tool named 'ask_clerk'/,
    ],
    [
      'another tool has the name of one',
      () => withAgents([clerk], {}, { http: [http] }),
      /tools\.agents\.0\.name results in a second tool named 'ask_clerk'/,
    ],
    [
      'a timeout is longer than any run',
      () => withAgents([{ ...clerk, timeout: '25h' }]),
      /tools\.agents\.0\.timeout must be from 1ms to 24h/,
    ],
    [
      'its name is too long for a tool',
      () => withAgents([{ ...clerk, name: 'a'.repeat(61) }]),
      /tools\.agents\.0\.name must NOT have more than 60 characters/,
    ],
    [
      'a description is too long for its model',
      () => withAgents([{ ...clerk, description: 'x'.repeat(1_100) }], { model: 'openai/gpt-5' }),
      /tools\.agents\.0\.description has 1100 characters; openai\/gpt-5 takes at most 1024/,
    ],
    [
      'its model has no tools',
      () => withAgents([clerk], { model: 'builtin/echo' }),
      /provider 'builtin' supports neither tools/,
    ],
  ])('%s', async (_, manifest, problem) => {
    const { code, stderr } = await apply(manifest());
    expect(stderr).toMatch(problem);
    expect(code).not.toBe(0);
  });
});

test('an agent that does not exist yet is a warning, in apply and in diff', async () => {
  const missing = "warning: 'front-desk' may ask the agent 'clerk', which does not exist";
  const manifest = withAgents([clerk, { ...clerk, name: 'front-desk', approval: 'caller' }], {
    approvalTimeout: '2h',
  });
  expect((await diff(manifest)).stderr).toContain(missing);
  const applied = await apply(manifest);
  expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining(missing) });
  await fixture.newAgent({ name: 'clerk' });
  const again = await apply(manifest);
  expect(again.stderr).not.toContain('does not exist');
  const { data } = await fixture.tenant.api.expect('getAgent', 200, {
    path: { agent_id: 'front-desk' },
  });
  expect(data.settings).toMatchObject({ tools: { agents: [clerk, { approval: 'caller' }] } });
});

test('a deployment freezes the agents that may be asked', async () => {
  await apply(withAgents([clerk], { name: 'frozen-desk' }));
  const path = { agent_id: 'frozen-desk' };
  await fixture.tenant.api.expect('createDeployment', 201, {
    path,
    body: { version: '1.0.0', environment: 'production' },
  });
  await apply(withAgents([{ ...clerk, name: 'other' }], { name: 'frozen-desk' }));
  fixture.provider.behave('Hello.');
  await fixture.tenant.api.expect('invokeAgent', 200, { path, body: { message: 'Hi' } });
  expect(fixture.provider.prompts()[0]?.tools.map(({ name }) => name)).toEqual(['ask_clerk']);
});

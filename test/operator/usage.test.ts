/** `operator usage`: usage by agent and day, and its cost by the operator's price table. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { recordHistory } from '../helpers/database/history.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });

const at = (time: string) => Date.parse(`2026-03-${time}Z`);
const march = ['--from', '2026-03-10', '--to', '2026-03-11'];

async function pricesFile(text: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'prices.yaml');
  await writeFile(file, text);
  return file;
}

/** Two agents on two days, and usage outside the range. */
async function agentsWithPast(): Promise<[string, string]> {
  const [one, other] = [await tenant.newAgent(), await tenant.newAgent()];
  const past = { durationMs: 10, failed: false, model: 'openai/gpt-5' };
  await recordHistory(service.database, { ...tenant, agentId: one.id }, [
    { ...past, at: at('09T23:59:59.999'), tokens: 77 },
    { ...past, at: at('10T00:00:00.000'), tokens: 1_000_000 },
    { ...past, at: at('10T12:00:00.000'), tokens: 500_000, failed: true },
    { ...past, at: at('10T13:00:00.000'), tokens: 400, model: 'local/llama3.2' },
    { ...past, at: at('11T23:59:59.999'), tokens: 2_000_000_000 },
    { ...past, at: at('11T23:59:59.999'), tokens: 2_000_000_000 },
    { ...past, at: at('12T00:00:00.000'), tokens: 77 },
  ]);
  await recordHistory(service.database, { ...tenant, agentId: other.id }, [
    { ...past, at: at('10T08:00:00.000'), tokens: 10, model: 'local/qwen3' },
  ]);
  return [one.name, other.name];
}

describe('operator usage', () => {
  test('sums up by agent and day, by agent, and by day', async () => {
    const [one, other] = await agentsWithPast();
    const PRICES_FILE = await pricesFile(
      'openai/gpt-5: {perMillion: 2.5}\nlocal/*: {perMillion: 0}',
    );
    const operator = operatorInProcess(service, { PRICES_FILE });
    const first = {
      invocations: 3,
      failures: 1,
      tokens: 1_500_400,
      cost: 3.75,
      unpriced_tokens: 0,
    };
    const last = { invocations: 2, failures: 0, tokens: 4e9, cost: 10_000, unpriced_tokens: 0 };
    const small = { invocations: 1, failures: 0, tokens: 10, cost: 0, unpriced_tokens: 0 };
    expect(await operator.json('usage', ...march)).toEqual([
      { day: '2026-03-10', agent: one, ...first },
      { day: '2026-03-10', agent: other, ...small },
      { day: '2026-03-11', agent: one, ...last },
    ]);
    expect(await operator.json('usage', ...march, '--by', 'day', '--agent', one)).toEqual([
      { day: '2026-03-10', ...first },
      { day: '2026-03-11', ...last },
    ]);
    expect(
      await operator.json('--account', 'tenant-1', 'usage', ...march, '--by', 'agent'),
    ).toEqual([
      { agent: one, ...first, invocations: 5, tokens: 4_001_500_400, cost: 10_003.75 },
      { agent: other, ...small },
    ]);
    const { stdout } = await operator.run(['usage', ...march, '--agent', one, '--by', 'day']);
    expect(stdout).toBe(
      [
        'DAY         INVOCATIONS  FAILURES  TOKENS      COST',
        '2026-03-10  3            1         1500400     3.7500',
        '2026-03-11  2            0         4000000000  10000.0000',
        '',
      ].join('\n'),
    );
  });

  test('reports the tokens without a price, and shows no cost without a table', async () => {
    const [one] = await agentsWithPast();
    const ask = [...march, '--by', 'agent', '--agent', one];
    const PRICES_FILE = await pricesFile('{"openai/gpt-5": {"perMillion": 1}}');
    expect(await operatorInProcess(service, { PRICES_FILE }).json('usage', ...ask)).toMatchObject([
      { cost: 4_001.5, unpriced_tokens: 400 },
    ]);
    expect(await operatorInProcess(service).json('usage', ...ask)).toMatchObject([
      { cost: null, tokens: 4_001_500_400 },
    ]);
    expect((await operatorInProcess(service).run(['usage', ...ask])).stdout).not.toContain('COST');
  });

  test('includes current usage, and built-in models cost nothing', async () => {
    const { id, name } = await tenant.newAgent();
    const body = { message: 'one two three' };
    const { data } = await tenant.api.expect('invokeAgent', 200, { path: { agent_id: id }, body });
    const PRICES_FILE = await pricesFile('{}');
    const operator = operatorInProcess(service, { PRICES_FILE });
    expect(await operator.json('usage', '--agent', name, '--by', 'agent')).toEqual([
      {
        agent: name,
        invocations: 1,
        failures: 0,
        tokens: data.tokens_used,
        cost: 0,
        unpriced_tokens: 0,
      },
    ]);
  });

  test.each([
    ['an invalid day', ['--from', '2026-02-30'], 2, 'Use a day such as 2026-11-02.'],
    ['an end before its start', ['--from', '2026-03-02', '--to', '2026-03-01'], 2, '--from must'],
    ['an unknown agent', ['--agent', 'missing'], 4, "There is no agent 'missing'."],
  ])('rejects %s', async (_what, options, code, reason) => {
    const refused = await operatorInProcess(service).run(['usage', ...options]);
    expect(refused).toMatchObject({ code, stderr: expect.stringContaining(reason) });
  });

  test.each([
    ['text', 'cheap', ':1  must map model names to prices'],
    ['broken YAML', 'openai/gpt-5: {perMillion: 1\nx', ':2  not valid: '],
    [
      'a duplicate name',
      'a/b: {perMillion: 1}\na/b: {perMillion: 2}',
      ':2  not valid: Map keys must be unique',
    ],
    ['a name that is none', '\ngpt-5: {perMillion: 1}', ':2  gpt-5 must be a model name'],
    ['two prices', 'a/b: {input: 1, output: 2}', ':1  a/b must have one price, perMillion'],
    [
      'a negative price',
      'a/b: {perMillion: 0}\nc/d: {perMillion: -1}',
      ':2  c/d must have perMillion',
    ],
    ['a bare number', 'a/b: 5', ':1  a/b must have perMillion'],
    ['a price as text', 'a/b: {perMillion: "5"}', ':1  a/b must have perMillion'],
    ['an unknown field', 'a/b: {perMillion: 5, currency: EUR}', ':1  a/b must have perMillion'],
  ])('a price table with %s is rejected with its line', async (_what, text, problem) => {
    const PRICES_FILE = await pricesFile(text);
    const { code, stderr } = await operatorInProcess(service, { PRICES_FILE }).run(['usage']);
    expect(code).toBe(1);
    expect(stderr).toContain('Example of a line: openai/gpt-5: { perMillion: 4.5 }');
    expect(stderr).toContain(`${PRICES_FILE}${problem}`);
  });

  test('a missing price table is named', async () => {
    const PRICES_FILE = '/nowhere/prices.yaml';
    const { stderr } = await operatorInProcess(service, { PRICES_FILE }).run(['usage']);
    expect(stderr).toContain('PRICES_FILE: /nowhere/prices.yaml cannot be read');
  });
});

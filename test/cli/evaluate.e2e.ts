/** `evaluate` against a live service: its table, its exit codes, and what it leaves. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { insertDeployment } from '../helpers/database/rows.js';
import { status } from '../helpers/model-provider/failures.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { refund, useToolFixtures } from '../invocations/tool-fixtures.js';
import { canOpenTerminals, exampleKey, useShell } from './shell.js';

const { fixture, shop, manifestOf, newRefundAgent } = useToolFixtures();
const shell = useShell();
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
});

const env = (key = fixture.tenant.key) => ({
  AGENT_HOSTING_API_KEY: key,
  AGENT_HOSTING_BASE_URL: fixture.service.url,
});

let files = 0;

async function caseFile(cases: unknown): Promise<string> {
  files += 1;
  const file = path.join(folder, `cases-${files}.yaml`);
  await writeFile(file, typeof cases === 'string' ? cases : stringify(cases));
  return file;
}

async function evaluate(agent: string, cases: unknown, ...options: string[]) {
  const args = ['evaluate', agent, '-f', await caseFile(cases), ...options];
  return shell.run(args, { env: env() });
}

/** The draft echoes; the deployment in production answers "On its way.". */
async function newAgent() {
  const agent = await fixture.newAgent({ model: 'builtin/echo' });
  const deployed = { model: 'local/llama3.2' };
  await insertDeployment(fixture.service.database, agent.id, deployed);
  return agent;
}

const withoutTimes = (text: string) =>
  text.replaceAll(/\d+ ms/g, '9 ms').replaceAll(/ {2,}/g, '  ');

test('cases that pass are a table, and the exit code is 0', async () => {
  const { name, id } = await newAgent();
  const cases = [
    { name: 'echo', message: 'Hello there', expect: { contains: 'there' } },
    { message: '{"paid":true}', expect: { equals: { paid: true } } },
  ];
  const { code, stdout, stderr } = await evaluate(name, cases);
  expect(stderr).toBe('');
  expect(withoutTimes(stdout)).toBe(
    [
      'CASE  DRAFT  TIME  TOKENS',
      'echo  pass  9 ms  4',
      '{"paid":true}  pass  9 ms  2',
      '',
      'draft  2 of 2 cases passed, mean 9 ms, 6 tokens',
      '',
    ].join('\n'),
  );
  expect(code).toBe(0);
  const { prisma } = fixture.service.database;
  const invocations = await prisma.invocation.findMany({ where: { agentId: id } });
  expect(invocations.map(({ environment }) => environment)).toEqual(['draft', 'draft']);
  expect(await prisma.memoryEntry.count({ where: { agentId: id } })).toBe(0);
});

test('a case says itself whether it is remembered', async () => {
  const { name, id } = await newAgent();
  const context = { remember: true, user_id: 'ann' };
  await evaluate(name, [{ message: 'Hi', context }]);
  const where = { agentId: id, environment: 'draft', userId: 'ann' };
  expect(await fixture.service.database.prisma.memoryEntry.count({ where })).toBe(2);
});

test('a case that fails shows the answers of both environments, and the exit code is 1', async () => {
  const { name } = await newAgent();
  const cases = [
    { name: 'same', message: 'On its way.', expect: { contains: 'way' } },
    { name: 'other', message: 'Lost.', expect: { contains: 'way' } },
  ];
  const { code, stdout } = await evaluate(name, cases, '--against', 'production');
  expect(code).toBe(1);
  expect(stdout).toContain('draft: fail: does not contain "way"\nLost.\n');
  expect(stdout).toContain('production: pass\nOn its way.\n');
  expect(stdout).toMatch(/^draft +1 of 2 cases passed/m);
  expect(stdout).toMatch(/^production +2 of 2 cases passed/m);
  // That of the case that has passed is not shown.
  expect(stdout.match(/production: pass/g)).toHaveLength(1);
});

test('a case that fails only in the environment to compare with does not count', async () => {
  const { name } = await newAgent();
  const cases = [{ message: 'Lost.', expect: { equals: 'Lost.' } }];
  const { code, stdout } = await evaluate(name, cases, '--against', 'production', '--verbose');
  expect(code).toBe(0);
  expect(stdout).toContain('production: fail: is not "Lost."');
  expect(stdout).toContain('draft: pass\nLost.');
});

test('with --json the results are one document', async () => {
  const { name } = await newAgent();
  const cases = [{ name: 'one', message: 'Lost.', expect: { contains: 'way' } }];
  const { code, stdout, stderr } = await evaluate(name, cases, '--against', 'production', '--json');
  expect([code, stderr]).toEqual([1, '']);
  const common = {
    duration_ms: expect.any(Number),
    tokens_used: expect.any(Number),
    request_id: expect.stringMatching(/^req_/),
  };
  expect(JSON.parse(stdout)).toEqual({
    agent: name,
    passed: false,
    cases: [
      {
        name: 'one',
        results: [
          {
            environment: 'draft',
            passed: false,
            problems: ['does not contain "way"'],
            response: 'Lost.',
            ...common,
          },
          {
            environment: 'production',
            passed: true,
            problems: [],
            response: 'On its way.',
            ...common,
          },
        ],
      },
    ],
  });
});

test('a request that fails is a failed case, and the others run', async () => {
  const { name } = await fixture.newAgent();
  fixture.provider.behave(status(400));
  const cases = [{ message: 'One' }, { message: 'Two' }];
  const { code, stdout } = await evaluate(name, cases, '--concurrency', '1');
  expect(code).toBe(1);
  expect(stdout).toMatch(/draft: fail: failed: The model provider/);
  expect(stdout).toContain('0 of 2 cases passed');
  expect(fixture.provider.received).toHaveLength(2);
});

test('an answer that waits for approval fails, and its calls can be approved by nobody', async () => {
  const [refundTool] = manifestOf('any').tools.http;
  const { name, id } = await newRefundAgent({}, { http: [{ ...refundTool, approval: 'caller' }] });
  fixture.provider.behave(refund);
  const { code, stdout } = await evaluate(name, [{ message: 'Refund order 7.' }]);
  expect(code).toBe(1);
  expect(stdout).toContain('draft: fail: waits for approval of refund');
  expect(shop.received).toEqual([]);
  const where = { agentId: id };
  expect(await fixture.service.database.prisma.pausedRun.count({ where })).toBe(0);
});

describe('ends without running further cases', () => {
  const cases = [{ message: 'One' }, { message: 'Two' }];

  test('if nothing is deployed to the environment', async () => {
    const { name, id } = await newAgent();
    const { code, stderr } = await evaluate(name, cases, '--environment', 'nowhere');
    expect(code).toBe(4);
    expect(stderr).toContain(
      `There is no active deployment of the agent '${name}' in the environment 'nowhere'.`,
    );
    const where = { agentId: id };
    expect(await fixture.service.database.prisma.invocation.count({ where })).toBe(0);
  });

  test('if the agent or the key is wrong', async () => {
    expect((await evaluate('nobody', cases)).code).toBe(4);
    const { name } = await newAgent();
    const args = ['evaluate', name, '-f', await caseFile(cases)];
    expect((await shell.run(args, { env: env(exampleKey) })).code).toBe(3);
    const { key } = await fixture.tenant.newKey({ permissions: ['read'] });
    expect((await shell.run(args, { env: env(key) })).code).toBe(3);
  });
});

describe('wrong usage', () => {
  test.each([
    [
      'a file that is not there',
      ['-f', '/nowhere/cases.yaml'],
      "cannot read '/nowhere/cases.yaml' (ENOENT)",
    ],
    ['no file', [], "required option '-f, --file <path>' not specified"],
  ])('%s', async (_what, options, text) => {
    const { code, stderr } = await shell.run(['evaluate', 'bot', ...options], { env: env() });
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  test('the same environment twice', async () => {
    const { code, stderr } = await evaluate('bot', [{ message: 'Hi' }], '--against', 'draft');
    expect(code).toBe(2);
    expect(stderr).toContain('--against names the same environment.');
  });

  test('a file with problems, with line and column', async () => {
    const args = ['evaluate', 'bot', '-f', '-'];
    const input = '- message: Hi\n  expect: {}\n- name: 7\n';
    const { code, stderr } = await shell.run(args, { env: env(), input });
    expect(code).toBe(2);
    expect(stderr).toBe(
      [
        'error: standard input is not a valid file of cases.',
        'standard input:2:11: expect must have contains, matches or equals',
        'standard input:3:3: message is missing',
        'standard input:3:9: name must be text',
        '',
      ].join('\n'),
    );
  });
});

test('invoke, logs and metrics name an environment, too', async () => {
  const { name } = await newAgent();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await shell.run(args, { env: env() });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const draft = ['--environment', 'draft'];
  expect(await run('agents', 'invoke', name, 'Lost.', ...draft)).toBe('Lost.\n');
  expect(await run('agents', 'invoke', name, 'Lost.')).toBe('On its way.\n');
  const entries = await run('logs', name, ...draft);
  expect(entries).toMatch(/^\S+Z {2}info {3}Invocation answered .* environment="draft"/);
  expect(entries.trim().split('\n')).toHaveLength(1);
  const tokens = async (...options: string[]) => {
    const text = await run('metrics', name, '--metric', 'token_usage', '--json', ...options);
    const { values } = JSON.parse(text) as { values: { value: number }[] };
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const [all, own] = [await tokens(), await tokens(...draft)];
  expect(own).toBe(2);
  expect(await tokens('--environment', 'production')).toBe(all - own);
});

(canOpenTerminals ? test : test.skip)(
  'a terminal shows the progress, and answers side by side',
  async () => {
    const { name } = await newAgent();
    const long = 'word '.repeat(30).trim();
    const file = await caseFile([{ name: 'long', message: long, expect: { contains: 'way' } }]);
    const args = ['evaluate', name, '-f', file, '--against', 'production'];
    const terminal = shell.openTerminal(args, { env: env(), columns: 100 });
    const { code, stdout } = await terminal.completed;
    expect(code).toBe(1);
    const printed = stripVTControlCharacters(stdout);
    expect(printed).toMatch(/of 2 done/);
    expect(printed).toMatch(/^draft: fail: does not contain "way" +production: pass\s*$/m);
    expect(printed).toMatch(/^word word .*word +On its way\.\s*$/m);
  },
);

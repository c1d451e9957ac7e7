/** What a manifest's models accept: refused or warned about with its place in the file, before an invocation fails. */
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseManifests } from '../../server/operator/parse-manifests.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { useToolFixtures } from '../invocations/tool-fixtures.js';

const { fixture, orders, manifestOf, apply, diff } = useToolFixtures({
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
});

const long = 'Refunds an order. '.repeat(60);

const withTool = (model: string, tool: object = {}, more: object = {}) => ({
  name: 'desk',
  model,
  ...more,
  tools: {
    http: [
      {
        name: 'refund',
        description: 'Refunds an order.',
        url: 'https://shop.acme.example/refunds',
        parameters: { type: 'object' },
        ...tool,
      },
    ],
  },
});

const withServer = (model: string, allow: string[], more: object = {}) => ({
  name: 'desk',
  model,
  tools: { mcp: [{ name: 'orders', url: 'https://mcp.acme.example/mcp', allow }] },
  ...more,
});

/** Problems and warnings as `line:column message`. */
function checked(manifest: object) {
  const parsed = parseManifests(stringify(manifest, { lineWidth: 0 }));
  const lines = (found: { line: number; column: number; message: string }[]) =>
    found.map(({ line, column, message }) => `${line}:${column} ${message}`);
  return 'problems' in parsed
    ? { problems: lines(parsed.problems) }
    : { warnings: parsed.manifests.flatMap(({ warnings }) => lines(warnings)) };
}

const anyOf = { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] };

describe('a manifest is refused, with line and column, for', () => {
  test.each<[string, object, string]>([
    [
      'a long description with openai',
      withTool('openai/gpt-5', { description: long }),
      '6:20 tools.http.0.description has 1080 characters; openai/gpt-5 takes at most 1024',
    ],
    [
      'a long description with a fallback of openai',
      withTool('anthropic/claude', { description: long }, { fallbacks: ['openai/gpt-5'] }),
      '8:20 tools.http.0.description has 1080 characters; openai/gpt-5 takes at most 1024',
    ],
    [
      'a choice at the top of the parameters with anthropic',
      withTool('anthropic/claude', { parameters: anyOf }),
      "9:9 tools.http.0.parameters has 'anyOf' at its top level, which anthropic/claude refuses",
    ],
    [
      'a choice at the top of the parameters with openai',
      withTool('openai/gpt-5', { parameters: { ...anyOf, allOf: [{}] } }),
      "9:9 tools.http.0.parameters has 'anyOf' and 'allOf' at its top level, which openai/gpt-5 refuses",
    ],
    [
      'a long name with openai',
      withServer('openai/gpt-5', ['lookup', 'x'.repeat(60)]),
      `9:11 tools.mcp.0.allow.1 results in the name 'orders_${'x'.repeat(60)}' of 67 characters; openai/gpt-5 takes at most 64`,
    ],
    [
      'a very long name with anthropic',
      withServer('anthropic/claude', ['x'.repeat(125)]),
      `8:11 tools.mcp.0.allow.0 results in the name 'orders_${'x'.repeat(125)}' of 132 characters; anthropic/claude takes at most 128`,
    ],
    [
      'a tool with the name of the one that recall adds',
      withTool('local/llama3.2', { name: 'recall' }, { recall: true }),
      "6:13 tools.http.0.name is the name of the tool that 'recall: true' adds",
    ],
    [
      'settings of a language model for an agent that is none',
      {
        name: 'desk',
        model: 'builtin/echo',
        maxOutputTokens: 100,
        recall: true,
      },
      '3:18 maxOutputTokens needs a language model, which builtin/echo is not\n4:9 recall needs a language model, which builtin/echo is not',
    ],
    [
      'the same for an http agent',
      {
        name: 'desk',
        model: 'http/own',
        endpoint: { url: 'https://agents.acme.example' },
        reasoning: 'low',
        summarize: true,
      },
      '5:12 reasoning needs a language model, which http/own is not\n6:12 summarize needs a language model, which http/own is not',
    ],
  ])('%s', (_, manifest, problems) => {
    expect(checked(manifest)).toEqual({ problems: problems.split('\n') });
  });
});

describe('a manifest is accepted', () => {
  test.each<[string, object]>([
    ['with a long description for anthropic', withTool('anthropic/claude', { description: long })],
    ['with a long name for anthropic', withServer('anthropic/claude', ['x'.repeat(121)])],
    [
      'with choices inside the parameters',
      withTool('openai/gpt-5', { parameters: { type: 'object', properties: { a: anyOf } } }),
    ],
    ['with a tool named recall, without recall', withTool('openai/gpt-5', { name: 'recall' })],
    [
      'with settings that are off for an agent without a language model',
      { name: 'desk', model: 'builtin/echo', summarize: false, recall: false },
    ],
  ])('%s', (_, manifest) => {
    expect(checked(manifest)).toEqual({ warnings: [] });
  });

  test('with warnings, if a compatible server may refuse it', () => {
    const manifest = withTool('local/llama3.2', { description: long, parameters: anyOf });
    expect(checked(manifest)).toEqual({
      warnings: [
        '6:20 tools.http.0.description has 1080 characters; local/llama3.2 may take only 1024',
        "9:9 tools.http.0.parameters has 'anyOf' at its top level, which local/llama3.2 may refuse",
      ],
    });
    expect(checked(withServer('local/llama3.2', ['x'.repeat(60)]))).toMatchObject({
      warnings: [expect.stringContaining('local/llama3.2 may take only 64')],
    });
  });
});

describe('the operator', () => {
  const files = /\S+\/agent\.yaml/g;
  const local = withTool('local/llama3.2', { description: long });
  const warning =
    'agent.yaml:6:20  tools.http.0.description has 1080 characters; local/llama3.2 may take only 1024';

  test('is refused what the provider refuses, and nothing is changed', async () => {
    for (const command of [apply, diff]) {
      const { code, stderr } = await command(withTool('openai/gpt-5', { description: long }));
      expect(code).toBe(2);
      expect(stderr.replaceAll(files, 'agent.yaml')).toBe(
        'The manifest is not valid, and nothing was changed:\n' +
          'agent.yaml:6:20  tools.http.0.description has 1080 characters; openai/gpt-5 takes at most 1024\n',
      );
    }
    expect(await fixture.service.database.prisma.agent.count({ where: { name: 'desk' } })).toBe(0);
  });

  test('is warned on standard error, by apply and diff', async () => {
    const { code, stderr } = await diff(local);
    expect(code).toBe(1);
    expect(stderr.replaceAll(files, 'agent.yaml')).toBe(`warning: ${warning}\n`);
    const applied = await apply(local);
    expect(applied).toMatchObject({ code: 0, stdout: "Agent 'desk' created.\n" });
    expect(applied.stderr.replaceAll(files, 'agent.yaml')).toBe(`warning: ${warning}\n`);
    expect(await diff(local)).toMatchObject({ code: 0, stdout: '' });
  });

  test('finds the warnings in the document of --json', async () => {
    const file = path.join(await temporaryFolder(), 'agent.yaml');
    await writeFile(file, stringify({ ...local, name: 'json-desk' }, { lineWidth: 0 }));
    const { name } = await fixture.service.database.prisma.account.findUniqueOrThrow({
      where: { id: fixture.tenant.accountId },
    });
    const operator = operatorInProcess(fixture.service);
    const json = (verb: string) =>
      operator.json('--account', name, 'agents', verb, '-f', file) as Promise<object>;
    const warnings = [expect.stringContaining(warning)];
    expect(await json('apply')).toMatchObject({ outcome: 'created', warnings });
    expect(await json('diff')).toMatchObject([{ name: 'json-desk', changes: [], warnings }]);
  });

  test('is told which tool of an MCP server its models refuse', async () => {
    const tools = [
      { name: 'lookup', description: long, inputSchema: { type: 'object' } },
      { name: 'track', description: 'Tracks.', inputSchema: anyOf },
    ];
    orders.answerLists = (id) => ({ jsonrpc: '2.0', id, result: { tools } });
    const { tools: own, ...manifest } = manifestOf('served');
    const { code, stderr } = await apply({
      ...manifest,
      model: 'openai/gpt-5',
      tools: { mcp: own.mcp },
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "warning: the description of 'lookup' of the MCP server 'orders' has 1080 characters; openai/gpt-5 takes at most 1024\n" +
        "warning: the parameters of 'track' of the MCP server 'orders' has 'anyOf' at its top level, which openai/gpt-5 refuses\n",
    });
  });
});

test('an agent with recall cannot be given a model without tools', async () => {
  await apply({ name: 'recalling', model: 'local/llama3.2', recall: true });
  const { error } = await fixture.tenant.api.expect('updateAgent', 400, {
    path: { agent_id: 'recalling' },
    body: { model: 'builtin/echo' },
  });
  expect(error.details).toEqual([
    {
      field: 'model',
      error: expect.stringContaining('supports neither tools nor an output schema nor recall'),
    },
  ]);
});

/** Manifests: several in a file, printing, comparing, and validation against the running service. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { setUpInstallation } from '../../server/process/first-start.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useDatabase } from '../helpers/database/database.js';
import { createAccount } from '../../server/accounts/accounts.js';
import { testSecrets, useInstance, useService, useTenant } from '../helpers/service/service.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';

// Set before the service starts, because it then tells the operator which variables it has.
process.env['SUPPORT_TOKEN'] = 'a secret that has at least 32 bytes';

const service = useService({ LOCAL_BASE_URL: 'http://127.0.0.1:9/v1' });
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);

async function file(text: string): Promise<string> {
  const name = path.join(await temporaryFolder(), 'agents.yaml');
  await writeFile(name, text);
  return name;
}

const apply = async (text: string) => operator.run(['agents', 'apply', '-f', await file(text)]);
const diff = async (text: string, ...args: string[]) =>
  operator.run(['agents', 'diff', '-f', await file(text), ...args]);
const agentNames = async () =>
  ((await operator.json('agents', 'list')) as { name: string }[]).map(({ name }) => name);

describe('several manifests in a file', () => {
  test('are applied together', async () => {
    const { code, stdout } = await apply(
      '---\nname: second\nmodel: builtin/echo\n---\nname: first\nmodel: builtin/echo\n---\n',
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Agent 'second' created.\nAgent 'first' created.\n",
    });
    const two = await file(
      'name: first\nmodel: builtin/echo\n---\nname: third\nmodel: builtin/echo\n',
    );
    expect(await operator.json('agents', 'apply', '-f', two)).toMatchObject([
      { name: 'first', outcome: 'unchanged' },
      { name: 'third', outcome: 'created' },
    ]);
  });

  test.each([
    [
      'that is not valid',
      'name: bad',
      ':5:1  model is missing: it must be provider/name, such as openai/gpt-5',
    ],
    ['that is not YAML', 'name: "bad', ':6:1  not valid YAML: Missing closing "quote'],
    [
      'of the same name',
      'name: good\nmodel: builtin/echo',
      ":5:1  'good' already has a manifest above",
    ],
    [
      'that cannot run',
      'name: bad\nmodel: opnai/x',
      "  bad: model: provider 'opnai' is unknown; configured: builtin, local",
    ],
    [
      'with an impossible timeout',
      'name: bad\nmodel: builtin/echo\ntimeout: 25h',
      'timeout: must be from 1ms to 24h',
    ],
  ])('are not applied with one %s', async (_name, second, problem) => {
    const { code, stdout, stderr } = await apply(
      `name: good\nmodel: builtin/echo\n# the second\n---\n${second}\n`,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(problem);
    expect(await agentNames()).not.toContain('good');
  });
});

const whole = `name: whole
model: http/own
temperature: 0.3
instructions: |
  You answer briefly.
  You are kind: "always".
timeout: 1500ms
history: 0
endpoint:
  url: https://agents.example.com/support
  headers:
    Authorization: \${env:SUPPORT_TOKEN}
security:
  enforceHttps: false
  rateLimit: { enabled: true, requests: 120, window: 1m }
roles:
  auditor: [read]
`;

const modelled = `name: modelled-whole
model: local/llama3.2
maxOutputTokens: 1000
reasoning: low
historyTokens: 4000
summarize: true
recall: true
timeout: 24h
approvalTimeout: 7d
tools:
  maxSteps: 200
  maxResult: 2000
  http:
    - { name: price, description: The price., url: 'https://shop.acme.example/prices', parameters: { type: object }, repeat: true }
    - { name: buy, description: Buys it., url: 'https://shop.acme.example/orders', parameters: { type: object }, approval: manage }
`;

describe('an agent', () => {
  test.each([
    ['whole', whole],
    ['modelled-whole', modelled],
  ])('is printed as a manifest that apply accepts without changes: %s', async (name, text) => {
    expect((await apply(text)).stdout).toBe(`Agent '${name}' created.\n`);
    for (const args of [[], ['--json']]) {
      const { stdout } = await operator.run(['agents', 'get', name, ...args]);
      expect(await apply(stdout)).toEqual({
        code: 0,
        stdout: `Agent '${name}' unchanged.\n`,
        stderr: '',
      });
    }
  });

  test('is printed with references to its secrets, and its state', async () => {
    await apply(whole);
    const { stdout, stderr } = await operator.run(['agents', 'get', 'whole']);
    expect(stdout).toContain('    Authorization: ${env:SUPPORT_TOKEN}\n');
    expect(stderr).toMatch(/^agent_\w+ is running, created .*Z\.\n$/);
  });

  test('is printed so that it can be applied, whatever its instructions contain', async () => {
    await tenant.newAgent({ name: 'odd', instructions: 'a\u202eb\u001b[2J\n- c: "d"\n' });
    const { stdout } = await operator.run(['agents', 'get', 'odd']);
    expect(stdout).toContain('\\u202e');
    expect((await apply(stdout)).stdout).toBe("Agent 'odd' unchanged.\n");
  });

  test('created through the API is printed too', async () => {
    const { name } = await tenant.newAgent();
    const { stdout } = await operator.run(['agents', 'get', name]);
    expect(stdout).toBe(`name: ${name}\nmodel: builtin/echo\ntimeout: 60s\nhistory: 20\n`);
  });
});

describe('diff', () => {
  const before = 'name: compared\nmodel: builtin/echo\ntemperature: 0.5\n';

  test('exits with 0 and prints nothing if there is nothing to change', async () => {
    await apply(before);
    expect(await diff(before)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await diff(before, '--json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test('exits with 1, prints the changes, and changes nothing', async () => {
    const after = `name: compared\nmodel: builtin/echo\ninstructions: |\n  Be\n  brief.\ntimeout: 1m\n---\nname: another\nmodel: builtin/echo\n`;
    for (let time = 0; time < 2; time += 1) {
      expect(await diff(after)).toEqual({
        code: 1,
        stdout: `compared:
  - temperature: 0.5
  + instructions: |
  +   Be
  +   brief.
another (new):
  + model: builtin/echo
  + timeout: 60s
  + history: 20
`,
        stderr: '',
      });
    }
    const { stdout } = await diff(after, '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      {
        name: 'compared',
        exists: true,
        changes: [
          { setting: 'instructions', from: null, to: 'Be\nbrief.\n' },
          { setting: 'temperature', from: 0.5, to: null },
        ],
      },
      { name: 'another', exists: false },
    ]);
  });

  test.each([
    ['an invalid manifest', 'name: compared\n', 'model is missing'],
    ['a model that cannot run', 'name: compared\nmodel: openai/gpt-5\n', 'OPENAI_API_KEY'],
  ])('exits with 2 for %s', async (_name, text, reason) => {
    const { code, stderr } = await diff(text);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});

describe('the provider of a model', () => {
  const withModel = (model: string) => apply(`name: modelled\nmodel: ${model}\n`);

  test('is one of the running service, whatever the shell of the operator has', async () => {
    // operatorInProcess has no provider at all in its own environment.
    expect(await withModel('local/llama3.2')).toEqual({
      code: 0,
      stdout: "Agent 'modelled' created.\n",
      stderr: '',
    });
    expect(await withModel('anthropic/claude-sonnet-4-5')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'The service cannot run the model, and nothing was changed:\n' +
        "  modelled: model: provider 'anthropic' is not configured; configured: builtin, local. " +
        'Set ANTHROPIC_API_KEY for the service, and restart it\n',
    });
  });

  describe('with another service that has other providers', () => {
    useInstance(service, () => ({ ANTHROPIC_API_KEY: 'x', LOCAL_BASE_URL: '' }));

    test('is applied with a note', async () => {
      const { code, stderr } = await withModel('anthropic/claude-sonnet-4-5');
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: "Note: provider 'anthropic' is configured in only some of the running services.\n",
      });
    });
  });

  describe('without a running service', () => {
    const made = useDatabase();

    test('is applied, and the operator is told what could not be checked', async () => {
      const alone = operatorInProcess({ database: made.database, databaseUrl: made.url });
      await createAccount(made.database, { name: 'acme', tier: 'pro' });
      const manifest = await file('name: early\nmodel: anthropic/claude-sonnet-4-5\n');
      expect(await alone.run(['agents', 'apply', '-f', manifest])).toEqual({
        code: 0,
        stdout: "Agent 'early' created.\n",
        stderr:
          "Note: no service is running, so it could not be checked that it has the provider 'anthropic'.\n",
      });
      const echo = await file('name: early\nmodel: builtin/echo\n');
      expect((await alone.run(['agents', 'apply', '-f', echo])).stderr).toBe('');
      const unknown = await file('name: early\nmodel: opnai/gpt-5\n');
      expect((await alone.run(['agents', 'apply', '-f', unknown])).stderr).toContain(
        "provider 'opnai' is unknown",
      );
    });
  });
});

describe('a secret in a variable', () => {
  const guarded = (variable: string) =>
    `name: guarded\nmodel: builtin/echo\nauth: { type: jwt, secret: '\${env:${variable}}' }\n`;

  afterEach(() => {
    process.env['SUPPORT_TOKEN'] = 'a secret that has at least 32 bytes';
    delete process.env['ONLY_HERE'];
  });

  test("must be set in the running service, whatever the operator's shell has", async () => {
    delete process.env['SUPPORT_TOKEN'];
    expect(await apply(guarded('SUPPORT_TOKEN'))).toEqual({
      code: 0,
      stdout: "Agent 'guarded' created.\n",
      stderr: '',
    });
    process.env['ONLY_HERE'] = 'a secret that has at least 32 bytes';
    const { code, stderr } = await apply(guarded('ONLY_HERE'));
    expect(code).toBe(2);
    expect(stderr).toBe(
      'The service lacks a secret of the agent, and nothing was changed:\n' +
        '  guarded: auth.secret cannot be read: the variable ONLY_HERE is not set. Set it for the service, and restart it\n',
    );
  });

  test('for an MCP server must be set in the shell too, which contacts that server', async () => {
    delete process.env['SUPPORT_TOKEN'];
    const { code, stderr } = await apply(
      `name: tooled
model: local/llama3.2
tools:
  mcp:
    - name: orders
      url: https://mcp.acme.example/mcp
      headers: { Authorization: '\${env:SUPPORT_TOKEN}' }
      allow: [lookup]
`,
    );
    expect(code).toBe(2);
    expect(stderr).toContain(
      'tools.mcp.0.headers.Authorization refers to ${env:SUPPORT_TOKEN}, which must also be set in this shell',
    );
  });

  describe('with another service that has more variables', () => {
    process.env['ONLY_THERE'] = '';
    useInstance(service, () => {
      process.env['ONLY_THERE'] = 'a secret that has at least 32 bytes';
      return {};
    });

    test('is applied with a note', async () => {
      const { code, stderr } = await apply(guarded('ONLY_THERE'));
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'Note: the variable ONLY_THERE is set for only some of the running services.\n',
      });
    });
  });
});

describe('a private address', () => {
  const asking =
    'name: asking\nmodel: local/llama3.2\ntools:\n  http:\n    - { name: price, description: The price., method: GET, url: "http://127.0.0.1:9/prices", parameters: { type: object } }\n';

  test("is rejected if the service rejects it, whatever the shell's settings", async () => {
    const { database, databaseUrl } = service;
    const lax = operatorInProcess({ database, databaseUrl }, { ALLOW_PRIVATE_TARGETS: 'true' });
    const { code, stderr } = await lax.run(['agents', 'apply', '-f', await file(asking)]);
    expect(code).toBe(2);
    expect(stderr).toContain('tools.http.0.url must');
  });

  describe('with a service that allows it', () => {
    const open = useService({
      LOCAL_BASE_URL: 'http://127.0.0.1:9/v1',
      ALLOW_PRIVATE_TARGETS: 'true',
    });
    useTenant(open, { isOnlyAccount: true });

    test("is allowed, whatever the shell's settings", async () => {
      const strict = operatorInProcess(open);
      expect(await strict.run(['agents', 'apply', '-f', await file(asking)])).toEqual({
        code: 0,
        stdout: "Agent 'asking' created.\n",
        stderr: '',
      });
    });
  });
});

describe('examples/manifests/echo.yaml', () => {
  const made = useDatabase();

  test('is the agent of the first start, and restores it', async () => {
    await setUpInstallation(made.database, testSecrets);
    const alone = operatorInProcess({ database: made.database, databaseUrl: made.url });
    const echo = ['agents', 'apply', '-f', path.join(root, 'examples/manifests/echo.yaml')];
    expect((await alone.run(echo)).stdout).toBe("Agent 'echo' unchanged.\n");
    await alone.json('agents', 'delete', 'echo', '--yes');
    expect((await alone.run(echo)).stdout).toBe("Agent 'echo' created.\n");
  });
});

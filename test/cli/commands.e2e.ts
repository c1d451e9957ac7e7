/** The command line in a pipe, as scripts use it, against a live service. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitForFreshCode } from '../helpers/crypto/authenticator.js';
import { insertEvent } from '../helpers/database/events.js';
import type { Tenant } from '../helpers/service/service.js';
import { enrolAgent } from '../access/enrol-agent.js';
import { useService } from './set-up.js';
import { type CommandResult, exampleKey, useShell } from './shell.js';

const service = useService();
const shell = useShell();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await service.tenant();
  await Promise.all([
    tenant.newAgent({ name: 'support-bot' }),
    tenant.newAgent({
      name: 'old-bot',
      options: {
        maxOutputTokens: 500,
        reasoning: 'low',
        historyTokens: 8_000,
        summarize: true,
        recall: true,
        approvalTimeout: '2h',
        tools: { maxSteps: 8, maxResult: 9_000 },
      },
    }),
  ]);
});

function run(...args: string[]): Promise<CommandResult> {
  return shell.run(args);
}

/** The output of a command that must succeed. */
async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function json(...args: string[]): Promise<unknown> {
  return JSON.parse(await printed(...args, '--json'));
}

describe('before the login', () => {
  test('every command says how to log in', async () => {
    expect(await run('agents', 'list')).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: There is no API key.\nRun agent-hosting login, or set AGENT_HOSTING_API_KEY.\n',
    });
  });

  test('an invalid key is not saved, and a service that does not respond is named', async () => {
    const rejected = await shell.run(['login', '--base-url', service.url], {
      input: `${exampleKey}\n`,
    });
    expect(rejected.code).toBe(3);
    expect(rejected.stderr).toContain(`${service.url} does not accept this key.`);
    const closed = 'http://127.0.0.1:65530';
    const unreachable = await shell.run(['login', '--base-url', closed], {
      input: tenant.key,
    });
    expect(unreachable.code).toBe(6);
    expect(unreachable.stderr).toContain(`No response from ${closed}: connect ECONNREFUSED`);
    expect(unreachable.stderr).toContain('Check that the service is running');
    expect(await run('profiles', 'list')).toMatchObject({ code: 0, stdout: '' });
  });

  test('the login saves the key in a file that only its owner can read', async () => {
    const login = await shell.run(['login', '--base-url', `${service.url}/v1/`], {
      input: `${tenant.key}\n`,
    });
    expect(login).toEqual({
      code: 0,
      stdout: `Logged in to ${service.url} as 'default'.\n`,
      stderr: '',
    });
    const file = path.join(shell.home, '.config/agent-hosting/profiles.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).toContain(tenant.key);
    expect(await json('profiles', 'list')).toEqual([
      { name: 'default', base_url: service.url, current: true },
    ]);
  });
});

describe('profiles', () => {
  test('are selected by name, and a key from the environment is never sent to the URL of a profile', async () => {
    const viewer = await tenant.newKey({ permissions: ['read'] });
    const second = ['--profile', 'second'];
    await shell.run(['login', '--base-url', service.url, ...second], {
      input: viewer.key,
    });
    const tried = await run('agents', 'invoke', 'support-bot', 'Hello');
    expect(tried.code).toBe(3);
    expect(tried.stderr).toContain('(forbidden)');
    expect(await printed('agents', 'invoke', 'support-bot', 'Hello', '--profile', 'default')).toBe(
      'Hello\n',
    );
    const env = {
      AGENT_HOSTING_API_KEY: exampleKey,
      AGENT_HOSTING_BASE_URL: 'http://127.0.0.1:65530',
    };
    const elsewhere = await shell.run(['agents', 'list'], { env });
    expect(elsewhere.stderr).toContain('No response from http://127.0.0.1:65530');
    expect((await shell.run(['agents', 'list', ...second], { env })).code).toBe(0);
    expect((await run('agents', 'list', '--profile', 'third')).stderr).toContain(
      "There is no profile 'third'. Saved profiles: default, second.",
    );
    const overridden =
      'AGENT_HOSTING_API_KEY is set and overrides the current profile. Unset it, or name a profile with --profile.\n';
    for (const command of [['list'], ['use', 'default'], ['use', 'second']]) {
      expect((await run('profiles', ...command)).stderr).toBe('');
      const noted = await shell.run(['profiles', ...command], { env });
      expect(noted).toMatchObject({ code: 0, stderr: overridden });
    }
    const loggedOut = await run('logout', ...second);
    expect(loggedOut).toMatchObject({ code: 0, stderr: "'default' is the current profile now.\n" });
    expect(await printed('profiles', 'list')).not.toContain('second');
  });
});

describe('agents', () => {
  test('are listed and shown', async () => {
    const lines = (await printed('agents', 'list')).split('\n');
    expect(lines[0]).toMatch(/^NAME +STATUS +CREATED +ID$/);
    expect(lines[1]).toMatch(/^(support|old)-bot +running +\d{4}-\S+ \S+Z +agent_\w{26}$/);
    expect(await json('agents', 'list')).toHaveLength(2);
    expect(await printed('agents', 'get', 'support-bot')).toMatch(/^model +builtin\/echo$/m);
    expect(await json('agents', 'get', 'support-bot')).toMatchObject({ name: 'support-bot' });
    const settings = {
      ...{ maxOutputTokens: 500, reasoning: 'low', historyTokens: 8_000 },
      ...{ summarize: true, recall: true, approvalTimeout: '2h', tools: { maxResult: 9_000 } },
    };
    expect(await json('agents', 'get', 'old-bot')).toMatchObject({ settings });
    const shown = await printed('agents', 'get', 'old-bot');
    for (const name of Object.keys(settings)) expect(shown).toContain(`"${name}": `);
    const first = await run('agents', 'list', '--limit', '1');
    expect(first.stdout.trim().split('\n')).toHaveLength(2);
    expect(first.stderr).toBe('Only the first 1 are shown; raise --limit for more.\n');
  });

  test('reply to a message from the arguments or from standard input', async () => {
    expect(await printed('agents', 'invoke', 'support-bot', 'Where', 'is', 'my', 'order?')).toBe(
      'Where is my order?\n',
    );
    const piped = await shell.run(['agents', 'invoke', 'support-bot'], {
      input: 'Two\nlines\n',
    });
    expect(piped).toEqual({ code: 0, stdout: 'Two\nlines\n', stderr: '' });
    expect(await json('agents', 'invoke', 'support-bot', 'Hi', '--user', 'u-1')).toMatchObject({
      response: 'Hi',
      request_id: expect.stringMatching(/^req_/),
    });
    expect(await run('agents', 'invoke', 'support-bot')).toMatchObject({ code: 2, stdout: '' });
    expect(await json('agents', 'invoke', 'support-bot', 'Later', '--async')).toEqual({
      request_id: expect.stringMatching(/^req_/),
    });
  });

  test('take their instructions from the command line, a file or standard input', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'instructions-'));
    try {
      const file = path.join(folder, 'prompt.md');
      await writeFile(file, '# Support\n\nBe kind. 👋\n');
      await writeFile(path.join(folder, 'empty.md'), '\n');
      await writeFile(path.join(folder, 'image.png'), Buffer.from([0x89, 0x50, 0xff]));
      const update = (value: string) =>
        json('agents', 'update', 'support-bot', '--instructions', value);

      expect(await update('Be brief.')).toMatchObject({ instructions: 'Be brief.' });
      expect(await update(`@${file}`)).toMatchObject({ instructions: '# Support\n\nBe kind. 👋' });
      const shown = (await printed('agents', 'get', 'support-bot')).split('\n');
      const line = shown.findIndex((text) => text.startsWith('instructions'));
      expect(shown.slice(line, line + 3).map((text) => text.trim())).toEqual([
        expect.stringMatching(/^instructions +# Support$/),
        '',
        'Be kind. 👋',
      ]);
      const piped = await shell.run(['agents', 'update', 'support-bot', '--instructions', '-'], {
        input: '@support, answer.\n',
      });
      expect(piped).toMatchObject({ code: 0, stderr: '' });
      expect(await json('agents', 'get', 'support-bot')).toMatchObject({
        instructions: '@support, answer.',
      });

      const invalid: [string, string][] = [
        [`@${folder}/none.md`, `--instructions: cannot read '${folder}/none.md' (ENOENT).`],
        [`@${folder}/empty.md`, 'To remove the text, pass --instructions "".'],
        [`@${folder}/image.png`, 'image.png is not text in UTF-8.'],
      ];
      for (const [value, reason] of invalid) {
        const failed = await run('agents', 'update', 'support-bot', '--instructions', value);
        expect(failed).toMatchObject({ code: 2, stdout: '' });
        expect(failed.stderr).toContain(reason);
      }
      expect(await update('')).toMatchObject({ instructions: '' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('are changed, deployed and rolled back', async () => {
    expect(await json('agents', 'update', 'support-bot', '--temperature', '0.2')).toMatchObject({
      temperature: 0.2,
    });
    expect(await printed('deployments', 'create', 'support-bot', '1.0.0')).toMatch(
      /^1\.0\.0 is active in production \(dep_\w+\)\.\n$/,
    );
    const taken = await run('deployments', 'create', 'support-bot', '1.0.0');
    expect(taken.code).toBe(5);
    expect(taken.stderr).toMatch(
      /^error: Version '1\.0\.0' exists .* \(conflict\)\nrequest req_\w+\n$/,
    );
    await printed('deployments', 'create', 'support-bot', '1.1.0');
    expect(await json('deployments', 'list', 'support-bot', '--status', 'active')).toMatchObject([
      { version: '1.1.0' },
    ]);
    expect(await printed('deployments', 'rollback', 'support-bot')).toBe(
      '1.0.0 is active in production again.\n',
    );
    expect((await run('deployments', 'rollback', 'support-bot')).code).toBe(5);
  });

  test('that require a one-time code for changes are deployed and rolled back with one', async () => {
    const policy = { mfa: { enabled: true, operations: ['update'] } };
    const agent = await tenant.newAgent({ name: 'guarded-bot', policy });
    const authenticator = await enrolAgent(service, tenant, agent);
    const deploy = ['deployments', 'create', 'guarded-bot'];
    const refused = await run(...deploy, '1.0.0');
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('X-MFA-Code')]);
    await waitForFreshCode();
    const [first, second, third] = [-1, 0, 1].map((steps) => authenticator.code(steps));
    await printed(...deploy, '1.0.0', '--mfa-code', String(first));
    await printed(...deploy, '1.1.0', '--mfa-code', String(second));
    expect(
      await printed('deployments', 'rollback', 'guarded-bot', '--mfa-code', String(third)),
    ).toBe('1.0.0 is active in production again.\n');
  });

  test('are not deleted without a confirmation or --yes', async () => {
    expect(await run('agents', 'delete', 'old-bot')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: This cannot be undone, and there is no terminal to ask for confirmation.\nPass --yes to skip the confirmation.\n',
    });
    expect(await json('agents', 'delete', 'old-bot', '--yes')).toMatchObject({ deleted: true });
    expect((await run('agents', 'get', 'old-bot')).code).toBe(4);
  });
});

describe('the activity of agents', () => {
  test('is printed by logs, as text or as JSON lines', async () => {
    const lines = (await printed('logs', 'support-bot', '--limit', '500')).trim().split('\n');
    const times = lines.map((line) => line.slice(0, 24));
    expect(times).toEqual([...times].sort());
    expect(lines.at(-1)).toMatch(/^\S+Z {2}info {3}Version '1\.1\.0' was rolled back.* req_\w+ /);
    const [last] = (await printed('logs', 'support-bot', '--limit', '1', '--json')).split('\n');
    expect(JSON.parse(last ?? '')).toMatchObject({ level: 'info', id: expect.any(String) });
  });

  test('is printed by metrics', async () => {
    const text = await printed('metrics', 'support-bot', '--metric', 'throughput', '--since', '3h');
    expect(text).toMatch(
      /^Invocations per minute\nlatest \S+\/min, highest \S+\/min\n\nTIME +VALUE\n\d{4}-\d\d-\d\d \S+Z +[\d.]+\n/,
    );
    expect(await json('metrics', 'support-bot')).toMatchObject({ metric: 'response_time' });
  });

  test('is found in memory, until it is cleared', async () => {
    expect(await json('memory', 'search', 'support-bot', 'order', '--limit', '1')).toMatchObject([
      { content: 'Where is my order?' },
    ]);
    expect((await run('memory', 'clear', 'support-bot')).code).toBe(2);
    expect(await printed('memory', 'clear', 'support-bot', '--yes')).toMatch(
      /^Cleared \d+ entries of support-bot\.\n$/,
    );
    expect(await run('memory', 'search', 'support-bot', 'order')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No results.\n',
    });
  });
});

describe('webhooks', () => {
  test('are created, listed and deleted; only the secret goes to standard output', async () => {
    const url = 'https://192.0.2.1/hook';
    const rejected = await run('webhooks', 'create', '--url', url);
    expect(rejected.code).toBe(2);
    expect(rejected.stderr).toMatch(/: url must not lead/);
    const created = await run('webhooks', 'create', '--url', 'https://example.com/hook');
    expect(created.stdout).toMatch(/^whsec_\S+\n$/);
    const [, id = ''] = /The webhook is (wh_\w+)\./.exec(created.stderr) ?? [];
    expect(await printed('webhooks', 'list')).toContain(id);
    expect(await json('webhooks', 'list', '--event', 'agent.completed')).toMatchObject([{ id }]);
    const nextAttemptAt = new Date(Date.now() + 300_000);
    await insertEvent(service.database, {
      accountId: tenant.accountId,
      agentId: 'agent',
      webhookIds: [id],
      dueAt: nextAttemptAt,
    });
    await service.database.prisma.delivery.updateMany({
      where: { webhookId: id },
      data: {
        attempts: 2,
        lastAttemptAt: new Date(),
        lastStatusCode: 503,
        lastError: 'The receiver answered 503.',
      },
    });
    const [titles, row] = (await printed('webhooks', 'list')).split('\n');
    expect(titles).toMatch(/ LAST DELIVERY +ERROR +NEXT ATTEMPT +ID$/);
    const next = nextAttemptAt.toISOString().replace('T', ' ').replace(/\.\d+/, '');
    expect(row).toContain(`pending (503)  The receiver answered 503.  ${next}`);
    expect((await run('webhooks', 'delete', id)).code).toBe(2);
    expect(await printed('webhooks', 'delete', id, '--yes')).toBe(`${id} was deleted.\n`);
    expect(await json('webhooks', 'list')).toEqual([]);
  });
});

describe('errors', () => {
  test('have their code, fields and request, and are JSON with --json', async () => {
    const wrong = ['agents', 'update', 'support-bot', '--temperature', '5'];
    const { code, stderr } = await run(...wrong);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: Validation failed: temperature must be at most 2 \(invalid_request\)\nrequest req_\w+\n$/,
    );
    const asJson = await run(...wrong, '--json');
    expect(asJson).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toEqual({
      error: {
        code: 'invalid_request',
        message: 'Validation failed: temperature must be at most 2',
        status: 400,
        details: [{ field: 'temperature', error: 'must be at most 2' }],
        request_id: expect.stringMatching(/^req_/),
      },
    });
  });

  test('of usage name what is wrong and what is allowed', async () => {
    const cases: [string[], string][] = [
      [['agnts', 'list'], '(Did you mean agents?)'],
      [['agents', 'list', '--limt', '3'], '(Did you mean --limit?)'],
      [['logs', 'x', '--level', 'fatal'], 'Allowed choices are debug, info, warn, error.'],
      [['logs', 'x', '--limit', '0'], 'It must be a whole number above 0.'],
      [['logs', 'x', '--follow', '--until', '5m'], "cannot be used with option '--until <time>'"],
      [['keys', 'create'], "required option '--name <name>' not specified"],
      [['agents', 'get'], "missing required argument 'agent'"],
      [['agents', 'get', '..'], 'A name or id must not be empty or consist of dots.'],
      [['agents', 'update', 'x'], 'Pass --model, --temperature or --instructions.'],
      [
        ['agents', 'list', '--base-url', 'nowhere'],
        "The URL of --base-url has no scheme: 'nowhere'.",
      ],
    ];
    const outcomes = await Promise.all(cases.map(([args]) => run(...args)));
    outcomes.forEach(({ code, stdout, stderr }, index) => {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(cases[index]?.[1]);
    });
  });

  test('do not occur if the reader closes the pipe early', async () => {
    const command = shell.command(['logs', 'support-bot', '--limit', '500']);
    const line = `set -o pipefail; ${command} | head -n 1`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', line], {
      env: shell.env,
    });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe('');
  });
});

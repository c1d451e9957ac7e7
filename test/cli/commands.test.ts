/** The command line in a pipe, as scripts use it, against a live service. */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
import { createShell, type Outcome, quoted, type Shell } from './shell.js';

let service: TestService;
let tenant: Tenant;
let shell: Shell;

beforeAll(async () => {
  [service, shell] = await Promise.all([startTestService(), createShell()]);
  tenant = await service.tenant();
  await Promise.all([
    tenant.newAgent({ name: 'support-bot' }),
    tenant.newAgent({ name: 'old-bot' }),
  ]);
});

afterAll(() => service.stop());

function ah(...args: string[]): Promise<Outcome> {
  return shell.run(args);
}

/** What a command that succeeds prints. */
async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await ah(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function json(...args: string[]): Promise<unknown> {
  return JSON.parse(await printed(...args, '--json'));
}

describe('before the login', () => {
  test('every command says how to get in', async () => {
    expect(await ah('agents', 'list')).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: There is no API key.\nRun agent-hosting login, or set AGENT_HOSTING_API_KEY.\n',
    });
  });

  test('a key that does not work is not saved, and a service that is not there is named', async () => {
    const refused = await shell.run(['login', '--base-url', service.url], { input: 'ahs_no\n' });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`${service.url} does not know this key.`);
    const closed = 'http://127.0.0.1:65530';
    const away = await shell.run(['login', '--base-url', closed], { input: tenant.key });
    expect(away.code).toBe(6);
    expect(away.stderr).toContain(`No answer from ${closed}: connect ECONNREFUSED`);
    expect(away.stderr).toContain('Check that the service runs');
    expect(await ah('profiles', 'list')).toMatchObject({ code: 0, stdout: '' });
  });

  test('the login keeps the key in a file that nobody else can read', async () => {
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
  test('are chosen by name, and a key of the environment never goes to the address of one', async () => {
    const viewer = await tenant.newKey({ permissions: ['read'] });
    const second = ['--profile', 'second'];
    await shell.run(['login', '--base-url', service.url, ...second], { input: viewer.key });
    const tried = await ah('agents', 'invoke', 'support-bot', 'Hello');
    expect(tried.code).toBe(3);
    expect(tried.stderr).toContain('(forbidden)');
    expect(await printed('agents', 'invoke', 'support-bot', 'Hello', '--profile', 'default')).toBe(
      'Hello\n',
    );
    const env = {
      AGENT_HOSTING_API_KEY: 'ahs_other',
      AGENT_HOSTING_BASE_URL: 'http://127.0.0.1:65530',
    };
    const elsewhere = await shell.run(['agents', 'list'], { env });
    expect(elsewhere.stderr).toContain('No answer from http://127.0.0.1:65530');
    expect((await shell.run(['agents', 'list', ...second], { env })).code).toBe(0);
    expect((await ah('agents', 'list', '--profile', 'third')).stderr).toContain(
      "There is no profile 'third'. There are: default, second.",
    );
    const left = await ah('logout', ...second);
    expect(left).toMatchObject({ code: 0, stderr: "'default' is used from now on.\n" });
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
    const first = await ah('agents', 'list', '--limit', '1');
    expect(first.stdout.trim().split('\n')).toHaveLength(2);
    expect(first.stderr).toBe('There are more than these 1; --limit shows more.\n');
  });

  test('answer a message from the arguments or from standard input', async () => {
    expect(await printed('agents', 'invoke', 'support-bot', 'Where', 'is', 'my', 'order?')).toBe(
      'Where is my order?\n',
    );
    const piped = await shell.run(['agents', 'invoke', 'support-bot'], { input: 'Two\nlines\n' });
    expect(piped).toEqual({ code: 0, stdout: 'Two\nlines\n', stderr: '' });
    expect(await json('agents', 'invoke', 'support-bot', 'Hi', '--user', 'u-1')).toMatchObject({
      response: 'Hi',
      request_id: expect.stringMatching(/^req_/),
    });
    expect(await ah('agents', 'invoke', 'support-bot')).toMatchObject({ code: 2, stdout: '' });
    expect(await json('agents', 'invoke', 'support-bot', 'Later', '--async')).toEqual({
      request_id: expect.stringMatching(/^req_/),
    });
  });

  test('are changed, deployed and rolled back', async () => {
    expect(await json('agents', 'update', 'support-bot', '--temperature', '0.2')).toMatchObject({
      temperature: 0.2,
    });
    expect(await printed('deployments', 'create', 'support-bot', '1.0.0')).toMatch(
      /^1\.0\.0 is active in production \(dep_\w+\)\.\n$/,
    );
    const taken = await ah('deployments', 'create', 'support-bot', '1.0.0');
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
    expect((await ah('deployments', 'rollback', 'support-bot')).code).toBe(5);
  });

  test('are not deleted where nobody can be asked, unless that is wanted', async () => {
    expect(await ah('agents', 'delete', 'old-bot')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: This cannot be undone, and nobody can be asked.\nSay --yes to do it without being asked.\n',
    });
    expect(await json('agents', 'delete', 'old-bot', '--yes')).toMatchObject({ deleted: true });
    expect((await ah('agents', 'get', 'old-bot')).code).toBe(4);
  });
});

describe('what agents did', () => {
  test('is shown by logs, as lines or as JSON lines', async () => {
    const lines = (await printed('logs', 'support-bot', '--limit', '500')).trim().split('\n');
    const times = lines.map((line) => line.slice(0, 24));
    expect(times).toEqual([...times].sort());
    expect(lines.at(-1)).toMatch(/^\S+Z {2}info {3}Version '1\.1\.0' was rolled back.* req_\w+ /);
    const [last] = (await printed('logs', 'support-bot', '--limit', '1', '--json')).split('\n');
    expect(JSON.parse(last ?? '')).toMatchObject({ level: 'info', id: expect.any(String) });
  });

  test('is drawn by metrics', async () => {
    const chart = await printed(
      'metrics',
      'support-bot',
      '--metric',
      'throughput',
      '--since',
      '3h',
    );
    expect(chart).toMatch(
      /^Invocations per minute\nlatest \S+\/min, highest \S+\/min\n\n *[\d.]+ ┤ *█+\n/,
    );
    expect(await json('metrics', 'support-bot')).toMatchObject({ metric: 'response_time' });
  });

  test('is found in memory, until that is cleared', async () => {
    expect(await json('memory', 'search', 'support-bot', 'oder', '--limit', '1')).toMatchObject([
      { content: 'Where is my order?' },
    ]);
    expect((await ah('memory', 'clear', 'support-bot')).code).toBe(2);
    expect(await printed('memory', 'clear', 'support-bot', '--yes')).toMatch(
      /^support-bot forgot \d+ entries\.\n$/,
    );
    expect(await ah('memory', 'search', 'support-bot', 'order')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are none.\n',
    });
  });
});

describe('webhooks', () => {
  test('are made, listed and deleted; only the secret goes to standard output', async () => {
    const url = 'https://192.0.2.1/hook';
    const refused = await ah('webhooks', 'create', '--url', url);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/\n {2}url: /);
    const made = await ah('webhooks', 'create', '--url', 'https://example.com/hook');
    expect(made.stdout).toMatch(/^whsec_\S+\n$/);
    const [, id = ''] = /The webhook is (wh_\w+)\./.exec(made.stderr) ?? [];
    expect(await printed('webhooks', 'list')).toContain(id);
    expect((await ah('webhooks', 'delete', id)).code).toBe(2);
    expect(await printed('webhooks', 'delete', id, '--yes')).toBe(`${id} is gone.\n`);
    expect(await json('webhooks', 'list')).toEqual([]);
  });
});

describe('what goes wrong', () => {
  test('is told with its code, fields and request, and as JSON to programs', async () => {
    const wrong = ['agents', 'update', 'support-bot', '--temperature', '5'];
    const { code, stderr } = await ah(...wrong);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: Validation failed \(invalid_request\)\n {2}temperature: must be <= 2\nrequest req_\w+\n$/,
    );
    const told = await ah(...wrong, '--json');
    expect(told).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(told.stderr)).toEqual({
      error: {
        code: 'invalid_request',
        message: 'Validation failed',
        status: 400,
        details: [{ field: 'temperature', error: 'must be <= 2' }],
        request_id: expect.stringMatching(/^req_/),
      },
    });
  });

  test('wrong usage names what is wrong and what is allowed', async () => {
    const cases: [string[], string][] = [
      [['agnts', 'list'], '(Did you mean agents?)'],
      [['agents', 'list', '--limt', '3'], '(Did you mean --limit?)'],
      [['logs', 'x', '--level', 'fatal'], 'Allowed choices are debug, info, warn, error.'],
      [['logs', 'x', '--limit', '0'], 'It must be a whole number above 0.'],
      [['logs', 'x', '--follow', '--until', '5m'], "cannot be used with option '--until <time>'"],
      [['keys', 'create'], "required option '--name <name>' not specified"],
      [['agents', 'get'], "missing required argument 'agent'"],
      [['agents', 'get', '..'], 'A name or id is empty, or nothing but dots.'],
      [['agents', 'update', 'x'], 'Name the change with --model or --temperature.'],
      [['agents', 'list', '--base-url', 'nowhere'], "'nowhere' is no address of a service."],
    ];
    const outcomes = await Promise.all(cases.map(([args]) => ah(...args)));
    outcomes.forEach(({ code, stdout, stderr }, index) => {
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(cases[index]?.[1]);
    });
  });

  test('a reader who leaves early is no failure', async () => {
    const line = `set -o pipefail; ${quoted(process.execPath)} ${quoted(shell.program)} logs support-bot --limit 500 | head -n 1`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', line], { env: shell.env });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe('');
  });
});

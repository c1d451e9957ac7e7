/** The command line in a real terminal. */
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test as always } from '@jest/globals';
import { displayWidth } from '../../client/cli/text.js';
import {
  eventStream,
  jsonResponse,
  serverSentEvent,
  useStubServer,
} from '../client/stub-server.js';
import { eventually } from '../helpers/eventually.js';
import type { Tenant } from '../helpers/service/service.js';
import { useService } from './set-up.js';
import { canOpenTerminals, exampleKey, type RunningCommand, useShell } from './shell.js';

const test = canOpenTerminals ? always : always.skip;
const interrupt = '\u0003';
const escape = '\u001b';
const eraseLine = `\r${escape}[K`;

const service = useService();
const server = useStubServer();
const shell = useShell();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await service.tenant();
  await tenant.newAgent({ name: 'support-bot' });
  await shell.login(service.url, tenant.key);
});

/** The lines that the terminal shows at the end, when spinners have been erased. */
async function read(
  running: RunningCommand,
): Promise<{ code: number; lines: string[]; raw: string }> {
  const { code, stdout } = await running.completed;
  const lines = stdout.split('\n').slice(0, -1);
  const visible = lines.map((line) => line.slice(line.lastIndexOf(eraseLine) + 1));
  return {
    code,
    lines: visible.map((line) => stripVTControlCharacters(line).replaceAll('\r', '')),
    raw: stdout,
  };
}

describe('prompts', () => {
  test('of the login ask for URL, key and name, repeat after invalid input, and do not echo the key', async () => {
    const { host } = new URL(service.url);
    const login = shell.openTerminal(['login']);
    /** Waits for the prompt, since the terminal echoes text that is typed before it. */
    const answer = async (prompt: string, times: number, text: string) => {
      await eventually(() => {
        expect(login.stdout().split(prompt).length - 1).toBe(times);
      }, 30_000);
      login.type(`${text}\r`);
    };
    await login.waitFor(`URL of the service [${service.url}]: `);
    login.type(`${host}\r`);
    await login.waitFor(`has no scheme: '${host}'.`);
    login.type('\r');
    await answer(`API key for ${service.url}: `, 1, 'ahs_…');
    await answer(`API key for ${service.url}: `, 2, tenant.key);
    await answer('Name of the profile [default]: ', 1, 'second');
    const { code, lines, raw } = await read(login);
    expect(code).toBe(0);
    expect(lines.at(-1)).toBe(`Logged in to ${service.url} as 'second'.`);
    expect(stripVTControlCharacters(raw)).toContain('is a placeholder from the documentation');
    expect(raw).not.toContain(tenant.key.slice(4));
    await shell.run(['logout', '--profile', 'second']);
  });

  test('of the login replace the profile of another service only after confirmation', async () => {
    const login = shell.openTerminal(['login', '--base-url', server.url]);
    await login.waitFor('API key for ');
    server.respondWith(jsonResponse(200, { data: [], pagination: {} }));
    login.type(`${exampleKey}\r`);
    const proposed = new URL(server.url).host.replace(':', '-');
    await login.waitFor(`Name of the profile [${proposed}]: `);
    login.type('default\r');
    await login.waitFor(`Replace the profile 'default', which is for ${service.url}? [y/N]`);
    login.type('n\r');
    expect((await read(login)).code).toBe(1);
    expect((await shell.run(['profiles', 'list'])).stdout).not.toContain(server.url);
  });

  test.each([
    ['n\r', 1, 'Nothing was changed.'],
    ['\u0004', 1, 'The input ended without an answer. Nothing was changed.'],
    [interrupt, 130, ''],
  ])('for a deletion do nothing if the answer is %j', async (typed, code, note) => {
    const deleting = shell.openTerminal(['agents', 'delete', 'support-bot']);
    await deleting.waitFor('Delete support-bot with its deployments');
    deleting.type(typed);
    const seen = await read(deleting);
    expect(seen.code).toBe(code);
    expect(seen.raw).toContain(note);
    await tenant.api.expect('getAgent', 200, { path: { agent_id: 'support-bot' } });
  });

  test('for a revocation name the key, and warn that it is in use', async () => {
    const own = await tenant.newKey({ name: 'My laptop' });
    const env = { AGENT_HOSTING_API_KEY: own.key, AGENT_HOSTING_BASE_URL: service.url };
    const revoking = shell.openTerminal(['keys', 'revoke', own.id], { env });
    const shown = await revoking.waitFor('[y/N]');
    expect(stripVTControlCharacters(shown)).toContain('This is the key in use,');
    expect(shown).toContain(`Revoke the key 'My laptop' (ahs_…${own.key.slice(-4)})?`);
    revoking.type('n\r');
    expect((await read(revoking)).code).toBe(1);
  });

  test('for a deletion delete if the answer is yes', async () => {
    await tenant.newAgent({ name: 'old-bot' });
    const deleting = shell.openTerminal(['agents', 'delete', 'old-bot']);
    await deleting.waitFor('[y/N]');
    deleting.type('y\r');
    const { code, lines } = await read(deleting);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: 'old-bot was deleted.' });
    await tenant.api.expect('getAgent', 404, { path: { agent_id: 'old-bot' } });
  });
});

describe('colours', () => {
  const coloured = '\u001b[32mrunning\u001b[39m';

  test('are used in a terminal, unless NO_COLOR is set or the terminal is dumb', async () => {
    const seen = await Promise.all(
      [{}, { NO_COLOR: '1' }, { TERM: 'dumb' }].map((env) =>
        read(shell.openTerminal(['agents', 'list'], { env })),
      ),
    );
    expect(seen.map(({ raw }) => raw.includes(coloured))).toEqual([true, false, false]);
    const colour = new RegExp(`${escape}\\[\\d+m`);
    expect(seen.map(({ raw }) => colour.test(raw))).toEqual([true, false, false]);
  });

  test('are not used in a pipe, unless FORCE_COLOR is set', async () => {
    const environments = [
      {},
      { FORCE_COLOR: '1' },
      { FORCE_COLOR: '0' },
      // Since version 22 Node warns if both are set.
      { FORCE_COLOR: '1', NO_COLOR: '1', NODE_NO_WARNINGS: '1' },
    ];
    const seen = await Promise.all(
      environments.map((env) => shell.run(['agents', 'list'], { env })),
    );
    expect(seen.map(({ stdout }) => stdout.includes(coloured))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(seen.map(({ stderr }) => stderr)).toEqual(['', '', '', '']);
  });
});

describe('the width', () => {
  test.each([80, 60, 50])('of %i columns is not exceeded by tables and help', async (columns) => {
    const commands = [
      ['keys', 'list'],
      ['metrics', 'support-bot', '--metric', 'error_rate'],
      ['--help'],
      ['agents', 'invoke', '--help'],
      ['webhooks', 'listen', '--help'],
    ];
    const seen = await Promise.all(
      commands.map((args) => read(shell.openTerminal(args, { columns }))),
    );
    for (const { code, lines } of seen) {
      expect(code).toBe(0);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
    expect(seen[0]?.raw).toMatch(/key_\w{26}/);
  });
});

describe('logs', () => {
  test('are followed, coloured by level, until Ctrl-C, which exits with 130', async () => {
    const options = { output: { schema: { type: 'object' as const } } };
    const { name } = await tenant.newAgent({ name: 'strict-bot', options });
    const following = shell.openTerminal(['logs', name, '--follow'], { columns: 200 });
    const say = (message: string) =>
      tenant.api.call('invokeAgent', { path: { agent_id: name }, body: { message } });
    expect(await say('{"said":"as an object"}')).toMatchObject({ status: 200 });
    expect(await say('Said as a text, twice')).toMatchObject({ status: 502 });
    await following.waitFor('Invocation failed');
    following.type(interrupt);
    const { code, raw } = await read(following);
    expect(code).toBe(130);
    expect(raw).toContain('\u001b[32minfo \u001b[39m');
    expect(raw).toContain('\u001b[2mdebug\u001b[22m');
    expect(raw).toContain('\u001b[31merror\u001b[39m');
  });
});

test('tool calls are shown within the reply, each on its own line', async () => {
  const call = { call_id: 'call_1', name: 'orders_lookup' };
  const events = [
    serverSentEvent('delta', { text: 'Let me look.' }, 'req_1.1'),
    serverSentEvent('tool', { ...call, status: 'started' }, 'req_1.2'),
    serverSentEvent('tool', { ...call, status: 'succeeded', duration_ms: 120 }, 'req_1.3'),
    serverSentEvent('tool', { ...call, status: 'failed', duration_ms: 7 }, 'req_1.4'),
    serverSentEvent('delta', { text: 'It left.' }, 'req_1.5'),
    serverSentEvent(
      'done',
      {
        response: 'It left.',
        request_id: 'req_1',
        tokens_used: 312,
        duration_ms: 1,
        usage: { input_tokens: 280, output_tokens: 32 },
      },
      'req_1.6',
    ),
  ];
  server.respondWith(eventStream(events, 'end'));
  const env = { AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url };
  const invoking = shell.openTerminal(['agents', 'invoke', 'bot', 'Hi'], { env });
  const { code, lines } = await read(invoking);
  expect(code).toBe(0);
  expect(lines.slice(0, 5)).toEqual([
    'Let me look.',
    '  · orders_lookup … 120 ms',
    '  · orders_lookup … failed, 7 ms',
    'It left.',
    '312 tokens (280 in, 32 out), 1 ms, req_1',
  ]);
});

describe('the responses of a slow service', () => {
  const env = () => ({ AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url });

  beforeEach(() => {
    server.respondWith();
  });

  test('are awaited with a spinner that is erased, and streamed as they arrive', async () => {
    let sendDelta: () => unknown = () => undefined;
    server.respondWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      sendDelta = () => response.write('event: delta\ndata: {"text":"Half of it"}\n\n');
    });
    const invoking = shell.openTerminal(['agents', 'invoke', 'slow-bot', 'Hi'], { env: env() });
    await invoking.waitFor('slow-bot is thinking');
    await server.waitForRequests(1);
    sendDelta();
    await invoking.waitFor('Half of it');
    invoking.type(interrupt);
    const { code, raw } = await read(invoking);
    expect(code).toBe(130);
    // The line of the spinner was erased before the reply was written.
    expect(raw.endsWith('\r\u001b[KHalf of it^C\r\n')).toBe(true);
  });
});

/** The command line in a real terminal, as a person sees it. */
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test as always } from '@jest/globals';
import { widthOf } from '../../client/cli/text.js';
import { type HostileServer, json, startHostileServer } from '../client/hostile-server.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
import { canOpenTerminals, createShell, type Running, type Shell } from './shell.js';

const test = canOpenTerminals ? always : always.skip;
const interrupt = '\u0003';

let service: TestService;
let tenant: Tenant;
let shell: Shell;

beforeAll(async () => {
  [service, shell] = await Promise.all([startTestService(), createShell()]);
  tenant = await service.tenant();
  await tenant.newAgent({ name: 'support-bot' });
  await shell.login(service.url, tenant.key);
});

afterAll(() => service.stop());

/** What a person reads, line by line, once it has ended. */
async function read(running: Running): Promise<{ code: number; lines: string[]; raw: string }> {
  const { code, stdout } = await running.ended;
  const text = stripVTControlCharacters(stdout).replaceAll('\r', '');
  return { code, lines: text.split('\n').slice(0, -1), raw: stdout };
}

describe('questions', () => {
  test('a key that is typed is not shown', async () => {
    const login = shell.open(['login', '--base-url', service.url]);
    await login.sees(`API key for ${service.url}: `);
    login.type(`${tenant.key}\r`);
    const { code, lines, raw } = await read(login);
    expect(code).toBe(0);
    expect(lines.at(-1)).toBe(`Logged in to ${service.url} as 'default'.`);
    expect(raw).not.toContain('ahs_');
  });

  test.each([
    ['n\r', 1, 'Left as it was.'],
    ['\u0004', 1, 'There was no answer. Left as it was.'],
    [interrupt, 130, ''],
  ])('the answer %j keeps an agent', async (typed, code, remark) => {
    const deleting = shell.open(['agents', 'delete', 'support-bot']);
    await deleting.sees('Delete support-bot with its deployments');
    deleting.type(typed);
    const seen = await read(deleting);
    expect(seen.code).toBe(code);
    expect(seen.raw).toContain(remark);
    await tenant.api.expect('getAgent', 200, { path: { agent_id: 'support-bot' } });
  });

  test('yes deletes it', async () => {
    await tenant.newAgent({ name: 'old-bot' });
    const deleting = shell.open(['agents', 'delete', 'old-bot']);
    await deleting.sees('[y/N]');
    deleting.type('y\r');
    const { code, lines } = await read(deleting);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: 'old-bot is gone.' });
    await tenant.api.expect('getAgent', 404, { path: { agent_id: 'old-bot' } });
  });
});

describe('colours', () => {
  const coloured = '\u001b[32mrunning\u001b[39m';

  test('are there in a terminal, unless NO_COLOR or a dumb terminal forbids them', async () => {
    const seen = await Promise.all(
      [{}, { NO_COLOR: '1' }, { TERM: 'dumb' }].map((env) =>
        read(shell.open(['agents', 'list'], { env })),
      ),
    );
    expect(seen.map(({ raw }) => raw.includes(coloured))).toEqual([true, false, false]);
    expect(seen[1]?.raw).not.toContain('\u001b');
  });

  test('are not there in a pipe, unless FORCE_COLOR asks for them', async () => {
    const environments = [
      {},
      { FORCE_COLOR: '1' },
      { FORCE_COLOR: '0' },
      { FORCE_COLOR: '1', NO_COLOR: '1' },
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
  test.each([80, 50])('of %i columns holds tables, charts and help', async (columns) => {
    const commands = [
      ['keys', 'list'],
      ['metrics', 'support-bot', '--metric', 'error_rate'],
      ['keys', '--help'],
    ];
    const seen = await Promise.all(commands.map((args) => read(shell.open(args, { columns }))));
    for (const { code, lines } of seen) {
      expect(code).toBe(0);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
    expect(seen[0]?.raw).toMatch(/key_\w{26}/);
  });
});

describe('logs', () => {
  test('are followed in colours by level until Ctrl-C, which ends with 130', async () => {
    const following = shell.open(['logs', 'support-bot', '--follow'], { columns: 200 });
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: 'support-bot' },
      body: { message: 'Hello' },
    });
    await following.sees('Invocation answered');
    following.type(interrupt);
    const { code, raw } = await read(following);
    expect(code).toBe(130);
    expect(raw).toContain('\u001b[32minfo \u001b[39m');
    expect(raw).toContain('\u001b[2mdebug\u001b[22m');
  });
});

describe('what a hostile service says', () => {
  let server: HostileServer;
  const env = () => ({ AGENT_HOSTING_API_KEY: 'ahs_any', AGENT_HOSTING_BASE_URL: server.url });

  beforeAll(async () => {
    server = await startHostileServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    server.will();
  });

  const eraser = '\u001b[2J\u009b31m\u001b]0;title\u0007';

  test('is shown and not obeyed, in tables, replies, errors and JSON', async () => {
    const agent = {
      id: `agent_${eraser}`,
      name: eraser,
      status: 'running',
      created_at: '2026-11-02T00:00:00.000Z',
    };
    const pagination = { limit: 51, offset: 0, total: 1, has_more: false };
    const answers: [string[], ReturnType<typeof json>][] = [
      [['agents', 'list'], json(200, { data: [agent], pagination })],
      [['agents', 'list', '--json'], json(200, { data: [agent], pagination })],
      [['agents', 'get', 'x'], json(200, { success: true, data: agent })],
      [
        ['agents', 'get', 'x'],
        json(404, { success: false, error: { code: 'not_found', message: eraser } }),
      ],
      [
        ['agents', 'invoke', 'x', 'Hi', '--no-stream'],
        json(200, { success: true, data: { response: eraser } }),
      ],
    ];
    for (const [args, answer] of answers) {
      server.will(answer);
      const { raw } = await read(shell.open(args, { env: env(), columns: 200 }));
      expect(raw).toMatch(/2J/);
      for (const order of ['\u001b[2J', '\u009b', '\u001b]', '\u0007'])
        expect(raw).not.toContain(order);
    }
  });

  test('is waited for with a sign of life that leaves no trace, and streams as it comes', async () => {
    let goOn: () => unknown = () => undefined;
    server.will((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      goOn = () => response.write('event: delta\ndata: {"text":"Half of it"}\n\n');
    });
    const invoking = shell.open(['agents', 'invoke', 'slow-bot', 'Hi'], { env: env() });
    await invoking.sees('slow-bot is thinking');
    goOn();
    await invoking.sees('Half of it');
    invoking.type(interrupt);
    const { code, raw } = await read(invoking);
    expect(code).toBe(130);
    // The last that happened to the line of the sign is that it was emptied.
    expect(raw.endsWith('\r\u001b[KHalf of it^C\r\n')).toBe(true);
  });
});

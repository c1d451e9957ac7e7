/** Escape sequences from a hostile service, in any field, are shown and not interpreted. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test as always } from '@jest/globals';
import {
  dataResponse,
  eventStream,
  jsonResponse,
  type Responder,
  serverSentEvent,
  useStubServer,
} from '../client/stub-server.js';
import { firstUnprintable, hostileName as hostile } from '../helpers/text/unprintable.js';
import { root } from '../helpers/programs/workspace.js';
import { canOpenTerminals, exampleKey, useShell } from './shell.js';

const server = useStubServer();
const shell = useShell();
const env = () => ({ AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url });

/** Every field that the commands below print, and one that is not in the contract. */
const resource = {
  id: hostile,
  name: hostile,
  status: hostile,
  agent_id: hostile,
  key: hostile,
  secret: hostile,
  preview: hostile,
  permissions: ['read', hostile],
  url: hostile,
  events: [hostile],
  last_delivery: { status: hostile },
  version: hostile,
  environment: hostile,
  model: hostile,
  role: hostile,
  content: hostile,
  score: 1,
  level: 'constructor',
  message: hostile,
  metadata: { request_id: hostile, [hostile]: hostile },
  response: hostile,
  request_id: hostile,
  tokens_used: 1,
  duration_ms: 1,
  metric: 'response_time',
  values: [{ timestamp: hostile, value: 1, unit: 'ms' }],
  cleared: hostile,
  created_at: hostile,
  activated_at: hostile,
  timestamp: hostile,
  last_used_at: hostile,
  expires_at: null,
  [hostile]: hostile,
};
const result = { request_id: 'req_1', tokens_used: 1, duration_ms: 1 };
const pagination = { limit: 51, offset: 0, total: 1, has_more: false };
const one = jsonResponse(200, { success: true, data: resource });
const list = jsonResponse(200, { success: true, data: [resource], pagination });
const failure = jsonResponse(
  400,
  {
    success: false,
    error: { code: hostile, message: hostile, details: [{ field: hostile, error: hostile }] },
  },
  { 'x-request-id': 'req_1' },
);

const commands: [string[], ...Responder[]][] = [
  [['agents', 'list'], list],
  [['agents', 'get', 'x'], one],
  [['agents', 'get', 'x'], failure],
  [['agents', 'get', hostile], failure],
  [['agents', 'delete', hostile, '--yes'], one],
  [
    ['agents', 'invoke', hostile, 'Hi', '--async'],
    jsonResponse(202, { data: { request_id: hostile } }),
  ],
  [['deployments', 'list', 'x'], list],
  [['deployments', 'create', 'x', hostile], one],
  [['deployments', 'rollback', 'x', 'dep_1'], one],
  [['keys', 'list'], list],
  [['keys', 'create', '--name', 'x'], one],
  [['keys', 'rotate', hostile, '--yes'], list, one],
  [['keys', 'revoke', hostile, '--yes'], list, one],
  [['webhooks', 'list'], list],
  [['webhooks', 'create', '--url', 'https://hooks.example'], one],
  [['webhooks', 'delete', hostile, '--yes'], one],
  [['logs', 'x'], list],
  [['metrics', 'x'], one],
  [['memory', 'search', 'x', 'y'], list],
  [['memory', 'clear', 'x', '--yes'], one],
  [['profiles', 'use', hostile], one],
  [['agents', 'list', `--${hostile}`], one],
];

describe.each([[[]], [['--json']]])('in a pipe, with %j,', (options: string[]) => {
  always.each(commands)('%j prints no control characters', async (args, ...responses) => {
    server.respondWith(...responses);
    const { stdout, stderr } = await shell.run([...args, ...options], { env: env() });
    expect(`${stdout}${stderr}`).toContain('\\u001b[2J');
    expect(firstUnprintable(`${stdout}${stderr}`)).toBeUndefined();
  });
});

always.each([[one], [failure]])('evaluate prints no control characters', async (response) => {
  const input = JSON.stringify([{ name: hostile, message: 'Hi', expect: { contains: hostile } }]);
  for (const options of [[], ['--against', hostile], ['--json']]) {
    server.respondWith(response);
    const args = ['evaluate', hostile, '-f', '-', '--verbose', ...options];
    const { stdout, stderr } = await shell.run(args, { env: env(), input });
    expect(stdout).toContain('\\u001b[2J');
    expect(firstUnprintable(`${stdout}${stderr}`)).toBeUndefined();
  }
});

describe('a reply in a pipe, whose other end may be a terminal', () => {
  const reply = `${hostile}\u007f\n\tthe end`;
  const whole = dataResponse({ ...result, response: reply });
  const streamed = eventStream(
    [
      serverSentEvent('delta', { text: reply }),
      serverSentEvent('done', { ...result, response: reply }),
    ],
    'end',
  );
  const invoke = ['agents', 'invoke', 'x', 'Hi'];
  const cases: [string[], Responder, string?][] = [
    [invoke, streamed],
    [[...invoke, '--no-stream'], whole],
    [[...invoke, '--async'], whole],
    [['chat', 'x'], streamed, 'Hi\n'],
  ];

  always.each(cases)('of %j is escaped', async (args, response, input = '') => {
    server.respondWith(response);
    const { stdout } = await shell.run(args, { env: env(), input });
    expect(stdout).toBe(
      'a\\u001b[2J\\u001b]0;title\\u0007\\u009b31m\r\nforged\\u2028row\\u202ecod\\u200b\\u007f\n\tthe end\n',
    );
  });

  always.each(cases)('of %j is unchanged with --raw', async (args, response, input = '') => {
    server.respondWith(response);
    const { stdout } = await shell.run([...args, '--raw'], { env: env(), input });
    expect(stdout).toBe(`${reply}\n`);
  });

  always('is the same value in JSON', async () => {
    server.respondWith(whole);
    const { stdout } = await shell.run([...invoke, '--json'], { env: env() });
    expect(firstUnprintable(stdout.replaceAll('\n', ''))).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({ response: reply });
  });
});

always('one module writes to the standard streams, and one makes escape sequences', async () => {
  expect(await modulesWith(/\bstd(out|err)\b|\bconsole\./)).toEqual(['terminal.ts']);
  expect(await modulesWith(/\bstyleText\b/)).toEqual(['styled-line.ts']);
});

async function modulesWith(pattern: RegExp): Promise<string[]> {
  const folder = path.join(root, 'client/cli');
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith('.ts'))
      .map(async (name) => {
        const text = await readFile(path.join(folder, name), 'utf8');
        return pattern.test(text) ? [name] : [];
      }),
  );
  return found.flat();
}

always('a table has one row for each resource, whatever its name', async () => {
  server.respondWith(list);
  const { stdout } = await shell.run(['agents', 'list'], { env: env() });
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
});

always('JSON output has the same values', async () => {
  server.respondWith(one);
  const { stdout } = await shell.run(['agents', 'get', 'x', '--json'], { env: env() });
  expect(JSON.parse(stdout)).toEqual(resource);
});

describe('in a terminal', () => {
  const test = canOpenTerminals ? always : always.skip;
  // The sequences that this program writes: styles, the erased line of the spinner, and line ends.
  const escape = '\u001b';
  const own = new RegExp(`${escape}\\[\\d+m|\\r${escape}\\[K|\\r+(?=\\n)`, 'g');
  const delta = serverSentEvent('delta', { text: hostile });

  test.each<[string[], ...Responder[]]>([
    [['agents', 'list'], list],
    [
      ['agents', 'invoke', hostile, 'Hi'],
      eventStream([delta, serverSentEvent('done', resource)], 'end'),
    ],
    [['agents', 'invoke', hostile, 'Hi', '--no-stream'], one],
    [['agents', 'get', 'x'], failure],
    [['logs', 'x'], list],
  ])('%j writes only its own escape sequences', async (args, ...responses) => {
    server.respondWith(...responses);
    const { stdout } = await shell.openTerminal(args, { env: env(), columns: 400 }).completed;
    expect(stdout).toContain('\\u001b[2J');
    expect(firstUnprintable(stdout.replaceAll(own, ''))).toBeUndefined();
  });

  test('a prompt escapes the name that was given', async () => {
    const deleting = shell.openTerminal(['agents', 'delete', hostile], { env: env() });
    await deleting.waitFor('[y/N]');
    deleting.type('n\r');
    const { stdout } = await deleting.completed;
    expect(stdout).toContain('Delete a\\u001b[2J');
    expect(stdout).not.toContain('\u001b[2J');
    expect(stdout).not.toContain('\u009b');
  });
});

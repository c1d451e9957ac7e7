/** Keys and URLs are checked before anything is sent. Errors name the problem and its source, but never the key. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findKeyProblem } from '../../client/cli/api-key.js';
import { parseHttpUrl } from '../../client/cli/http-url.js';
import { generateApiKey } from '../../server/keys/api-key.js';
import { useStubServer } from '../client/stub-server.js';
import { exampleKey, useShell } from './shell.js';

const server = useStubServer();
const shell = useShell();

describe('a key', () => {
  test.each([
    [generateApiKey()],
    [exampleKey],
    // A token of an agent's end user, and any key for the mock.
    ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln'],
    ['anything'],
  ])('may be %s', (key) => {
    expect(findKeyProblem(key)).toBeUndefined();
  });

  test.each([
    [`${exampleKey}\n`, 'contains a line break'],
    [`${exampleKey.slice(0, 20)}\r\n${exampleKey.slice(20)}`, 'contains a line break'],
    ['ahs_…', 'is a placeholder from the documentation, not a key'],
    ['ahs_...', 'is a placeholder from the documentation, not a key'],
    ['<your key>', 'is a placeholder from the documentation, not a key'],
    [`"${exampleKey}"`, 'is in quotes, which are not part of it'],
    [`Bearer ${exampleKey}`, 'begins with "Bearer", which is not part of it'],
    [`${exampleKey} `, 'contains a space'],
    [`${exampleKey}\u200b`, 'contains characters that are not allowed in a key'],
    ['key_01m3v7xjz0etnv3twffmsrhx7s', 'is the id of a key, not the key itself'],
    ['whsec_c2VjcmV0', 'is a webhook secret, not an API key'],
    [exampleKey.slice(0, -1), 'has 49 characters instead of 50: a part is missing'],
    [`${exampleKey}M`, 'has 51 characters instead of 50: it is too long'],
    [exampleKey.replace('E', 'e'), 'has a wrong character: its checksum does not match'],
  ])('%j %s', (key, problem) => {
    expect(findKeyProblem(key)).toBe(problem);
  });
});

test.each([
  ['localhost:3000', "has no scheme: 'localhost:3000'", 'Write http://localhost:3000'],
  ['[::1]:3000/x', "has no scheme: '[::1]:3000/x'", 'Write http://[::1]:3000/x'],
  ['agents.example', "has no scheme: 'agents.example'", 'Write https://agents.example'],
  ['two words', "has no scheme: 'two words'", 'Write it like '],
  ['http://', "is not a valid URL: 'http://'", 'Write it like '],
  ['ftp://agents.example', "is neither http nor https: 'ftp://agents.example'", 'Write it like '],
  ['https://me:secret@x', 'must not contain a user name or password', 'Write it like '],
])('the URL %s %s', (text, problem, hint) => {
  expect(() => parseHttpUrl(text, 'of --base-url')).toThrow(
    expect.objectContaining({
      message: `The URL of --base-url ${problem}.`,
      hints: [expect.stringContaining(hint)],
    }),
  );
});

describe('a malformed key is neither sent nor printed', () => {
  const broken = `${exampleKey.slice(0, 30)}\n${exampleKey.slice(30)}`;
  const expectNothingLeaked = (output: string) => {
    expect(output).not.toContain('EXAMPLE');
    expect(server.received).toEqual([]);
  };

  test('if it is from the environment', async () => {
    server.respondWith();
    const { code, stdout, stderr } = await shell.run(['agents', 'list'], {
      env: { AGENT_HOSTING_API_KEY: broken, AGENT_HOSTING_BASE_URL: server.url },
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(
      /^error: The key in AGENT_HOSTING_API_KEY contains a line break\.\nSet it to a complete key/,
    );
    expectNothingLeaked(stderr);
  });

  test('if it is piped into a login', async () => {
    server.respondWith();
    const { code, stderr } = await shell.run(['login', '--base-url', server.url, '--json'], {
      input: broken,
    });
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { message: expect.stringMatching(/^The key that was given contains a line break\./) },
    });
    expectNothingLeaked(stderr);
  });

  test('if it is from a profile, whose file is named', async () => {
    server.respondWith();
    const file = path.join(shell.home, '.config/agent-hosting/profiles.json');
    const profiles = { default: { baseUrl: server.url, apiKey: broken } };
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ current: 'default', profiles }));
    const { code, stderr } = await shell.run(['agents', 'list']);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `error: The key of the profile 'default' in ${file} contains a line break.\nRun agent-hosting login --profile default\n`,
    );
    expectNothingLeaked(stderr);
  });
});

/** What a client logs about its requests, and what it never logs. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { ClientOptions, Logger } from '../../client/src/index.js';
import { dataResponse, disconnect, errorResponse, useStubServer } from './stub-server.js';

const server = useStubServer();

function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (level: keyof Logger) => (message: string) => lines.push(`${level} ${message}`);
  return { lines, logger: { debug: write('debug'), info: write('info'), warn: write('warn') } };
}

/** An invocation that is attempted three times. */
async function logOf(options: ClientOptions): Promise<string[]> {
  const { logger, lines } = recorder();
  server.respondWith(errorResponse(503, 'unavailable'), disconnect, dataResponse());
  const secret = { apiKey: 'ahs_secret', headers: { 'X-MFA-Code': '123456' } };
  const client = server.client({ logger, ...secret, ...options });
  await client.agents.invoke('bot', { message: 'confidential' });
  return lines.map((line) => line.replaceAll(/\d+ ms/g, 'N ms').replaceAll(server.url, 'URL'));
}

const call = 'agent-hosting: POST URL/v1/agents/bot/invoke';
const failures = [
  `warn ${call}: 503, request req_1 (N ms)`,
  expect.stringMatching(/^warn .*: ConnectionError: No response from .* \(N ms\)$/),
];
const retries = [`info ${call}: retry 1 of 2 in N ms`, `info ${call}: retry 2 of 2 in N ms`];
const success = `info ${call}: 200, request null (N ms)`;

describe('A client', () => {
  const before = process.env['AGENT_HOSTING_LOG'];

  afterEach(() => {
    if (before === undefined) delete process.env['AGENT_HOSTING_LOG'];
    else process.env['AGENT_HOSTING_LOG'] = before;
  });

  test('logs nothing by default', async () => {
    expect(await logOf({})).toEqual([]);
    expect(await logOf({ logLevel: 'off' })).toEqual([]);
  });

  test('logs every attempt, from the chosen level on', async () => {
    expect(await logOf({ logLevel: 'warn' })).toEqual(failures);
    const [first, second] = failures;
    const informed = [first, retries[0], second, retries[1], success];
    expect(await logOf({ logLevel: 'info' })).toEqual(informed);
    const debug = `debug ${call}`;
    expect(await logOf({ logLevel: 'debug' })).toEqual([
      ...[debug, first, retries[0]],
      ...[debug, second, retries[1]],
      ...[debug, success],
    ]);
  });

  test('takes the level from the environment, and ignores an unknown one', async () => {
    process.env['AGENT_HOSTING_LOG'] = 'warn';
    expect(await logOf({})).toEqual(failures);
    expect(await logOf({ logLevel: 'off' })).toEqual([]);
    process.env['AGENT_HOSTING_LOG'] = 'verbose';
    expect(await logOf({})).toEqual([]);
  });

  test('logs to the console by default', async () => {
    const info = jest.spyOn(console, 'info').mockReturnValue();
    server.respondWith(dataResponse());
    await server.client({ logLevel: 'info' }).agents.get('bot');
    expect(info).toHaveBeenCalledTimes(1);
    info.mockRestore();
  });

  test('never logs keys, headers or bodies, even those that cannot be sent', async () => {
    const { logger, lines } = recorder();
    const client = server.client({ logger, logLevel: 'debug' });
    const headers = { 'X-Token': 'confidential\nconfidential' };
    await expect(client.agents.get('bot', { headers })).rejects.toThrow(TypeError);
    const text = [...lines, ...(await logOf({ logLevel: 'debug' }))].join('\n');
    expect(text).toContain('POST ');
    expect(text).not.toMatch(/ahs_secret|Bearer|123456|confidential/);
  });
});

/** How long the tool list of an MCP server is used before the server is asked again. */
import { afterAll, expect, jest, test } from '@jest/globals';
import { openTools } from '../../server/runtime/tools/open-tools.js';
import { eventually } from '../helpers/eventually.js';
import { useMcpServer } from '../invoke/mcp-server.js';

const seconds = 1_000;
const minutes = 60 * seconds;

/** A clock that advances only when the test sets it. */
let now = performance.now();
const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);

afterAll(() => {
  clock.mockRestore();
});

const offered = { description: '', parameters: ['id'], run: () => 'Done.' };
const server = useMcpServer({ cancel: offered });

const open = async () => {
  const mcp = [{ name: 'orders', url: server.url, headers: {}, allow: ['find'], timeout: '10s' }];
  const policy = { accountId: 'acct_1', allowPrivate: true };
  const { withdrawn } = await openTools(
    { tools: { maxSteps: 5, mcp } },
    policy,
    new AbortController().signal,
  );
  return withdrawn[0]?.reason;
};

const missing = 'the server no longer offers it';
const unreviewed = expect.stringContaining('its definition has changed');

test('a list is refreshed in the background after a minute, and kept for five', async () => {
  expect(await open()).toBe(missing);
  server.tools = { find: offered };
  now += 50 * seconds;
  expect(await open()).toBe(missing);
  expect(server.lists).toBe(1);

  now += 20 * seconds;
  expect(await open()).toBe(missing);
  await eventually(async () => {
    expect(await open()).toEqual(unreviewed);
  });
  expect(server.lists).toBe(2);

  server.intercept = (_req, res) => {
    res.writeHead(503).end();
  };
  now += 4 * minutes;
  expect(await open()).toEqual(unreviewed);
  now += 2 * minutes;
  await expect(open()).rejects.toThrow("the MCP server 'orders' cannot be used");
});

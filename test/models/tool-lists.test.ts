/** How long the tool list of an MCP server is used before the server is asked again. */
import { expect, test } from '@jest/globals';
import { openTools } from '../../server/models/tools/open-tools.js';
import { eventually } from '../helpers/eventually.js';
import { useStoppedClock } from '../helpers/stopped-clock.js';
import { useMcpServer } from '../invocations/mcp-server.js';

const seconds = 1_000;
const minutes = 60 * seconds;

const clock = useStoppedClock();

const offered = { description: '', parameters: ['id'], run: () => 'Done.' };
const server = useMcpServer({ cancel: offered });

const open = async () => {
  const mcp = [{ name: 'orders', url: server.url, headers: {}, allow: ['find'], timeout: '10s' }];
  const policy = { queueKey: 'one', allowPrivate: true };
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
  clock.advance(50 * seconds);
  expect(await open()).toBe(missing);
  expect(server.lists).toBe(1);

  clock.advance(20 * seconds);
  expect(await open()).toBe(missing);
  await eventually(async () => {
    expect(await open()).toEqual(unreviewed);
  });
  expect(server.lists).toBe(2);

  server.intercept = (_req, res) => {
    res.writeHead(503).end();
  };
  clock.advance(4 * minutes);
  expect(await open()).toEqual(unreviewed);
  clock.advance(2 * minutes);
  await expect(open()).rejects.toThrow("the MCP server 'orders' cannot be used");
});

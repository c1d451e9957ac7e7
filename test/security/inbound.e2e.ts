/**
 * Hostile and endless responses of models, `http/` agents and MCP servers: the event loop answers other requests within
 * 250 ms, and the invocation ends.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useFixture } from '../helpers/service/fixture.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { loopTime } from '../helpers/programs/processor-time.js';
import { environmentFor } from '../helpers/service/service.js';
import { tokens, useToolFixtures } from '../invoke/tool-fixtures.js';
import { chatCompletions, type Respond } from '../helpers/model-provider/wire-formats.js';

const longestMs = 250;
/** The machine itself can be busy for a moment, but not each time that the same response is sent. */
const tries = 5;

const { fixture, orders, manifestOf, apply, newToolAgent, scriptModel } = useToolFixtures();

const hostile: { reply: Respond } = { reply: (res) => void res.end() };
const agentServer = useFixture<HttpServer>(
  () =>
    startHttpServer((_req, res) => {
      hostile.reply(res);
    }),
  (server) => server.stop(),
);

/** A separate process, so that neither the test nor its servers are measured. */
const loaded = useFixture<ServiceProcess>(
  () =>
    startServiceProcess({
      environment: {
        ...environmentFor(fixture.service),
        ...tokens,
        LOCAL_BASE_URL: `${fixture.provider.url}/v1`,
        ALLOW_PRIVATE_TARGETS: 'true',
      },
    }),
  async (program) => void (await program.end('SIGTERM')),
);

beforeAll(async () => {
  await inTurn(50, probe);
});

/** How much event loop time a request waits for, in ms. */
async function probe(): Promise<number> {
  const start = loopTime(loaded.pid);
  await (await fetch(`${loaded.url}/healthz`)).text();
  return loopTime(loaded.pid) - start;
}

/** Invokes the agent, and measures how long other requests waited meanwhile. */
async function invoke(name: string): Promise<{ status: number; waitMs: number }> {
  const progress = { isOver: false };
  const answered = fetch(`${loaded.url}/v1/agents/${name}/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Hello?' }),
  }).then(async (answer) => {
    await answer.text();
    progress.isOver = true;
    return answer.status;
  });
  let waitMs = 0;
  do waitMs = Math.max(waitMs, await probe());
  while (!progress.isOver);
  return { status: await answered, waitMs };
}

/** The status of a run in which the event loop was never blocked. */
async function statusOf(name: string, prepare: () => void = () => undefined): Promise<number> {
  const waits: number[] = [];
  for (let attempt = 0; attempt < tries; attempt += 1) {
    prepare();
    const idleMs = Math.max(...(await inTurn(5, probe)));
    const { status, waitMs } = await invoke(name);
    if (waitMs < longestMs + 2 * idleMs) return status;
    waits.push(Math.round(waitMs));
  }
  throw new Error(`Others waited for ${waits.join(', ')} ms.`);
}

async function inTurn<Result>(times: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let n = 0; n < times; n += 1) results.push(await work());
  return results;
}

/** Writes the text for as long as the client reads. */
function writeForever(res: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  const write = () => {
    while (!res.destroyed && res.write(bytes));
    if (!res.destroyed) res.once('drain', write);
  };
  write();
}

const events = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' });
const endless =
  (text: string): Respond =>
  (res) => {
    events(res);
    writeForever(res, text.repeat(Math.ceil(60_000 / text.length)));
  };

const delta = 'event: delta\ndata: {"text":"x"}\n\n';
const done = 'event: done\ndata: {"tokens_used":1}\n\n';
const deltas =
  (count: number): Respond =>
  (res) => {
    events(res).end(delta.repeat(count) + done);
  };

describe('an http agent', () => {
  test.each<[string, number, Respond]>([
    ['endless blank lines', 502, endless('\n')],
    ['endless carriage returns', 502, endless('\r')],
    ['endless comments', 502, endless(': ping\n\n')],
    ['endless deltas of one letter', 502, endless(delta)],
    ['200,000 deltas of one letter', 502, deltas(200_000)],
    ['100,000 deltas of one letter', 200, deltas(100_000)],
    ['endless meaningless events', 502, endless('data: x\n\n')],
    [
      'an object of five million members',
      502,
      (res) => {
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(`{"response":[${'{},'.repeat(5_000_000)}{}]}`);
      },
    ],
    [
      'an event of five million members',
      502,
      (res) => {
        events(res).end(`event: delta\ndata: {"text":[${'{},'.repeat(5_000_000)}{}]}\n\n`);
      },
    ],
  ])('that sends %s', async (_, status, reply) => {
    const { name } = await fixture.tenant.newAgent({
      name: `hostile-agent-${randomUUID()}`,
      model: 'http/own',
      endpoint: { url: agentServer.url },
      timeoutMs: 60_000,
    });
    hostile.reply = reply;
    expect(await statusOf(name)).toBe(status);
  });
});

const choice = (content: object) => `data: {"choices":[{"delta":${JSON.stringify(content)}}]}\n\n`;
const call = (index: number, more: object = {}) =>
  choice({
    tool_calls: [{ index, id: `c${index}`, function: { name: 'price', arguments: '' }, ...more }],
  });

describe('a model', () => {
  const completed =
    (text: string): Respond =>
    (res) => {
      events(res).write(text);
      chatCompletions.finish(res, { input: 1, output: 1 });
    };

  test('that answers in 10,000 deltas of one letter', async () => {
    const name = await newToolAgent({ mcp: undefined });
    fixture.provider.behave(completed(choice({ content: 'x' }).repeat(10_000)));
    expect(await statusOf(name)).toBe(200);
  });

  test.each<[string, Respond]>([
    ['endless blank lines', endless('\n')],
    ['endless comments', endless(': ping\n\n')],
    ['endless deltas of one letter', endless(choice({ content: 'x' }))],
    ['endless reasoning', endless(choice({ reasoning_content: 'x' }))],
    [
      'an endless tool call',
      (res) => {
        events(res).write(call(0));
        writeForever(
          res,
          choice({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }).repeat(500),
        );
      },
    ],
    [
      'a long tool call in small pieces',
      (res) => {
        const start = { function: { name: 'price', arguments: `{"a":"${'x'.repeat(1_900_000)}` } };
        events(res).write(call(0, start));
        writeForever(
          res,
          choice({ tool_calls: [{ index: 0, function: { arguments: 'x' } }] }).repeat(500),
        );
      },
    ],
    [
      '50,000 tool calls',
      completed(
        Array.from({ length: 50_000 }, (__, index) =>
          call(index, { function: { name: 'price', arguments: '{}' } }),
        ).join(''),
      ),
    ],
    ['an endless event', endless('data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n')],
    ['an endless line', endless('x')],
    [
      'an endless error',
      (res) => {
        res.writeHead(400, { 'content-type': 'application/json' });
        writeForever(res, '{"error":'.repeat(5_000));
      },
    ],
  ])('that sends %s', async (_, reply) => {
    const name = `hostile-model-${randomUUID()}`;
    const { code } = await apply({ ...manifestOf(name, { mcp: undefined }), timeout: '10s' });
    expect(code).toBe(0);
    fixture.provider.behave(reply);
    // Either limit may apply first: the size limit or the agent's timeout.
    expect([502, 504]).toContain(await statusOf(name));
  });
});

describe('an MCP server', () => {
  const lookup = { name: 'orders_lookup', arguments: { order_id: '5512' } };

  // Created once, because creating them during the measurement would count.
  const items = `{"type":"text","text":"x"},`.repeat(70_000);
  test.each([
    ['70,000 content items', `{"content":[${items}{"type":"text"}]}`],
    ['600,000 members', `{"content":[],"structuredContent":{"a":[${'{},'.repeat(600_000)}{}]}}`],
  ])('that sends %s', async (_, result) => {
    const name = await newToolAgent();
    orders.answerCalls = (id) => `{"jsonrpc":"2.0","id":${Number(id)},"result":${result}}`;
    const play = () => {
      scriptModel([lookup], 'Sorry.');
    };
    expect(await statusOf(name, play)).toBe(200);
  });

  test('that lists tools endlessly', async () => {
    const name = await newToolAgent();
    const tools = Array.from({ length: 500 }, (_, n) => ({
      name: `t${n}`,
      inputSchema: { type: 'object' },
    }));
    orders.answerLists = (id) => ({ jsonrpc: '2.0', id, result: { tools, nextCursor: 'more' } });
    expect(await statusOf(name)).toBe(502);
  });
});

/** What a call of a tool costs beside its own time: checks, the guard and the protocol, against a bare request. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { listMcpTools } from '../../server/runtime/tools/mcp.js';
import { hashDefinition } from '../../server/runtime/tools/mcp-definition.js';
import { openTools } from '../../server/runtime/tools/open-tools.js';
import { createToolbox } from '../../server/runtime/tools/toolbox.js';
import type { BenchContext } from './lib/context.js';
import { median } from './lib/statistics.js';
import { figure, type Table } from './lib/table.js';
import { targets } from './lib/targets.js';

const callsPerRound = 300;

const policy = { allowPrivate: true };
const { signal } = new AbortController();
const parameters = {
  type: 'object' as const,
  required: ['order_id'],
  properties: { order_id: { type: 'string' } },
};
const args = { order_id: '5512' };

export async function benchTools({ rounds = 7, report }: BenchContext): Promise<void> {
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    report(await compare(`http://127.0.0.1:${port}`, rounds));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function compare(url: string, rounds: number): Promise<Table> {
  const mcp = { name: 'orders', url: `${url}/mcp`, allow: ['lookup'], timeout: '10s' };
  const listed = await listMcpTools(mcp, policy, signal);
  const hashes = listed.map((own) => [`orders_${own.name}`, hashDefinition(own)] as const);
  const http = {
    name: 'refund',
    description: 'Refunds an order.',
    method: 'POST' as const,
    url: `${url}/refund`,
    parameters,
    timeout: '10s',
  };
  const options = {
    tools: { maxSteps: 8, mcp: [mcp], http: [http] },
    toolDefinitions: Object.fromEntries(hashes),
  };
  const { tools, close } = await openTools(options, policy, signal);
  const ignore = () => undefined;
  const listener = {
    accountId: 'account_bench',
    beforeFirst: () => Promise.resolve(),
    onStart: ignore,
    onEnd: ignore,
    onUnknown: ignore,
  };
  const toolbox = createToolbox(tools, 8, listener);
  const call = (name: string) => async () => {
    const [result] = await toolbox.call([{ id: 'a', name, arguments: args }], signal);
    if (result?.succeeded !== true) throw new Error(`${name} failed: ${result?.text}`);
  };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'lookup' } };

  const rows = [
    await row('http', rounds, () => post(http.url, args), call('refund')),
    await row('mcp', rounds, () => post(mcp.url, rpc), call('orders_lookup')),
  ];
  await close();
  return {
    title: 'Calls of tools',
    note: `one at a time, alternating; medians of ${rounds} rounds of ${callsPerRound}`,
    columns: ['bare ms', 'tool ms', 'beside its own time, ms'],
    rows,
  };
}

async function row(
  title: string,
  rounds: number,
  bare: () => Promise<void>,
  tool: () => Promise<void>,
): Promise<Table['rows'][number]> {
  await measure(bare, tool);
  const results: { bare: number; tool: number }[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await measure(bare, tool));
  const [bareMs, toolMs] = [
    median(results.map((result) => result.bare)),
    median(results.map((result) => result.tool)),
  ];
  return {
    title,
    figures: [
      figure(bareMs, 2),
      figure(toolMs, 2),
      figure(toolMs - bareMs, 2, targets.toolOverheadMs),
    ],
  };
}

async function measure(bare: () => Promise<void>, tool: () => Promise<void>) {
  const times = { bare: [] as number[], tool: [] as number[] };
  for (let count = 0; count < callsPerRound; count += 1) {
    times.bare.push(await timed(bare));
    times.tool.push(await timed(tool));
  }
  return { bare: median(times.bare), tool: median(times.tool) };
}

async function timed(call: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

async function post(url: string, body: object): Promise<void> {
  const sent = request(url, { method: 'POST', agent: false });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await text(response);
}

const results: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'orders', version: '1.0.0' },
  },
  'tools/list': { tools: [{ name: 'lookup', description: 'Looks up.', inputSchema: parameters }] },
  'tools/call': { content: [{ type: 'text', text: 'Order 5512: paid.' }] },
};

/** An API that answers at once, and as much of the protocol as a client needs. */
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') {
    res.writeHead(405).end();
    return;
  }
  const { id, method = '' } = (await json(req)) as { id?: number; method?: string };
  if (req.url === '/mcp' && id === undefined) {
    res.writeHead(202).end();
    return;
  }
  const body = req.url === '/mcp' ? { jsonrpc: '2.0', id, result: results[method] } : { ok: true };
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

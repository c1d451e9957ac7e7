/**
 * Hostile models, tools, MCP servers and agents in a separate process. Each name stands for one kind of response. It
 * prints its address, and exits by itself.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

const events = { 'content-type': 'text/event-stream' };
const chunkBytes = 65_536;
/** More than any response may have, so that the service ends it and not this program. */
const endlessChunks = 1_024;

type Responder = (res: ServerResponse) => Promise<void> | void;

/** Sends the piece this many times, as fast as it is read, and then the last one. */
async function send(res: ServerResponse, piece: string, times: number, last = ''): Promise<void> {
  const together = Math.max(1, Math.floor(chunkBytes / piece.length));
  const chunk = piece.repeat(together);
  for (let sent = 0; sent < times && !res.closed; sent += together) {
    if (!res.write(chunk)) await drained(res);
  }
  res.end(last);
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.once('drain', resolve);
    res.once('close', resolve);
  });
}

const stream =
  (piece: string, times: number, last = ''): Responder =>
  (res) =>
    send(res.writeHead(200, events), piece, times, last);

const endless = (piece: string, start = ''): Responder => {
  const times = (endlessChunks * chunkBytes) / piece.length;
  return (res) => {
    res.writeHead(200, events).write(start);
    return send(res, piece, times);
  };
};

function sendJson(res: ServerResponse, text: string): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** Few bytes that become five million objects. */
const manyMembers = `[${'{},'.repeat(5_000_000)}{}]`;

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

export const agents: Record<string, Responder> = {
  'blank-lines': endless('\n'),
  'carriage-returns': endless('\r'),
  comments: endless(': x\n'),
  'events-without-data': endless('event: delta\n\n'),
  'one-line': endless('x'),
  'events-without-meaning': endless('data: x\n\n'),
  'endless-deltas': endless(event('delta', { text: 'x' })),
  'one-letter-deltas': stream(event('delta', { text: 'x' }), 200_000, event('done', {})),
  'as-many-deltas-as-allowed': stream(event('delta', { text: 'x' }), 100_000, event('done', {})),
  'endless-json': (res) =>
    send(
      res.writeHead(200, { 'content-type': 'application/json' }),
      ' ',
      endlessChunks * chunkBytes,
    ),
  'nested-json': (res) => {
    sendJson(res, `{"response":${'['.repeat(500_000)}${']'.repeat(500_000)}}`);
  },
  'json-of-many-members': (res) => {
    sendJson(res, `{"response":${manyMembers}}`);
  },
  'event-of-many-members': (res) => {
    res.writeHead(200, events).end(`event: delta\ndata: {"text":${manyMembers}}\n\n`);
  },
};

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const stop = `${chunk({}, 'stop')}data: [DONE]\n\n`;
const stopForTools = `${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
const toolCall = (index: number, name: string, args: string) =>
  chunk({
    tool_calls: [
      { index, id: `call_${index}`, type: 'function', function: { name, arguments: args } },
    ],
  });
/** Continues the arguments of the first call. */
const moreArguments = (args: string) =>
  chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] });

const structured = JSON.stringify({ items: Array.from({ length: 5_000 }, (_, n) => `item ${n}`) });

export const models: Record<string, Responder> = {
  'blank-lines': endless('\n'),
  comments: endless(': x\n'),
  'one-line': endless('x'),
  'one-event': endless(`data: ${'x'.repeat(40)}\n`),
  'one-letter-deltas': stream(chunk({ content: 'x' }), 200_000, stop),
  'one-letter-reasoning': stream(chunk({ reasoning_content: 'x' }), 200_000, stop),
  'json-in-pieces': (res) => {
    const parts = structured.match(/.{1,4}/gs) ?? [];
    res.writeHead(200, events);
    res.end(parts.map((content) => chunk({ content })).join('') + stop);
  },
  'many-tool-calls': (res) => {
    const calls = Array.from({ length: 20_000 }, (_, n) => toolCall(n, 'run', '{}'));
    res.writeHead(200, events).end(calls.join('') + stopForTools);
  },
  'endless-tool-call': endless(moreArguments('{'), toolCall(0, 'run', '')),
  'long-tool-call-in-pieces': endless(
    moreArguments('x'),
    toolCall(0, 'run', `{"a":"${'x'.repeat(1_900_000)}`),
  ),
  'endless-error': (res) => {
    res.writeHead(400, { 'content-type': 'application/json' });
    return send(res, '{"error":', endlessChunks * chunkBytes);
  },
};

/** Models that call the agent's tool with an argument, and answer when they have its result. */
export const toolArguments: Record<string, { tool: string; x: unknown }> = {
  letters: { tool: 'hostile_run', x: `${'a'.repeat(29)}!` },
  objects: {
    tool: 'hostile_run',
    x: Array.from({ length: 20_000 }, (_, index) => ({ index })),
  },
  text: { tool: 'hostile_run', x: 'x' },
  http: { tool: 'echo', x: 'x' },
};

function respondAsModel(res: ServerResponse, name: string, messages: { role: string }[]): unknown {
  const called = toolArguments[name];
  if (!called) return models[name]?.(res);
  res.writeHead(200, events);
  return messages.some(({ role }) => role === 'tool')
    ? res.end(chunk({ content: 'Done.' }) + stop)
    : res.end(toolCall(0, called.tool, JSON.stringify({ x: called.x })) + stopForTools);
}

/** The schema of the MCP server's only tool, by server name. */
const schemas: Record<string, object> = {
  backtracking: { properties: { x: { type: 'string', pattern: '^(a+)+$' } } },
  'unique-items': { properties: { x: { uniqueItems: true } } },
  'doubling-references': {
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const $ref = `#/$defs/${level - 1}`;
        return [level, level === 0 ? { type: 'string' } : { allOf: [{ $ref }, { $ref }] }];
      }),
    ),
    properties: { x: { $ref: '#/$defs/39' } },
  },
};

const tool = (name: string, schema?: object) => ({
  name,
  inputSchema: { type: 'object', ...schema },
});

/** The first list is honest, so that the manifest can be applied. */
const endlessList = { hasBegun: false };

function listTools(name: string): object {
  if (name === 'endless-list' && endlessList.hasBegun) {
    return { tools: Array.from({ length: 500 }, (_, n) => tool(`t${n}`)), nextCursor: 'more' };
  }
  endlessList.hasBegun ||= name === 'endless-list';
  return { tools: [tool('run', schemas[name])] };
}

function mcpResult(name: string, method: string): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'hostile', version: '1' };
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list') return listTools(name);
  if (name === 'many-members') {
    return { content: [], structuredContent: { a: Array.from({ length: 600_000 }, () => ({})) } };
  }
  const items = name === 'many-items' ? 100_000 : 1;
  return { content: Array.from({ length: items }, () => ({ type: 'text', text: 'x' })) };
}

async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [, kind = '', name = ''] = (req.url ?? '').split('/');
  if (req.method !== 'POST') {
    res.writeHead(405).end();
    return;
  }
  const body = (await json(req)) as Record<string, unknown>;
  if (kind === 'agent') await agents[name]?.(res);
  else if (kind === 'v1') {
    await respondAsModel(res, String(body['model']), body['messages'] as { role: string }[]);
  } else if (kind === 'tool') {
    res.writeHead(200, { 'content-type': 'text/plain' });
    res.end(`${String(req.headers.authorization)} ${'a'.repeat(2 * 1024 * 1024)}`);
  } else if (body['id'] === undefined) res.writeHead(202).end();
  else {
    const result = mcpResult(name, String(body['method']));
    sendJson(res, JSON.stringify({ jsonrpc: '2.0', id: body['id'], result }));
  }
}

if (process.argv[2] === 'listen') {
  const server = createServer((req, res) => {
    res.on('error', () => undefined);
    void respond(req, res).catch(() => res.destroy());
  }).listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    process.stdout.write(`upstream at http://127.0.0.1:${port}\n`);
  });
  // Also if the test is killed.
  setTimeout(() => process.exit(0), 20 * 60_000);
}

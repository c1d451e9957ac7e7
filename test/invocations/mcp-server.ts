/** An MCP server built with the reference SDK, over HTTP on loopback. */
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';

export interface OfferedTool {
  description: string;
  /** The names of its arguments, all strings. */
  parameters: string[];
  run: (args: Record<string, string>) => string | Promise<string>;
}

export interface TestMcpServer {
  url: string;
  /** The tools that it offers from now on. */
  tools: Record<string, OfferedTool>;
  /** The calls that reached a tool. */
  called: { name: string; args: Record<string, string> }[];
  /** What each call says of itself. */
  metadata: unknown[];
  /** The request headers, newest last. */
  authorizations: (string | undefined)[];
  /** The Authorization header that it refuses, if any. */
  refuses: string | undefined;
  /** The trace id of each request. */
  traceparents: (string | undefined)[];
  tracestates: (string | undefined)[];
  openSessions: () => number;
  /** If set, answers every request instead of the SDK. */
  intercept: RequestListener | undefined;
  /** If set, answers tool calls with this message or text instead of the SDK. */
  answerCalls: ((id: unknown) => object | string) | undefined;
  /** The same for tool lists. */
  answerLists: ((id: unknown) => object) | undefined;
  /** How often its tools were listed. */
  lists: number;
  /** Closes all open connections. */
  cut: () => void;
  stop: () => Promise<void>;
}

export function useMcpServer(tools: Record<string, OfferedTool>): TestMcpServer {
  return useFixture(
    () => startMcpServer(tools),
    (server) => server.stop(),
  );
}

export async function startMcpServer(tools: Record<string, OfferedTool>): Promise<TestMcpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const state: Omit<TestMcpServer, 'url' | 'cut' | 'stop'> = {
    tools,
    called: [],
    metadata: [],
    authorizations: [],
    refuses: undefined,
    traceparents: [],
    tracestates: [],
    openSessions: () => sessions.size,
    intercept: undefined,
    answerCalls: undefined,
    answerLists: undefined,
    lists: 0,
  };

  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await protocolOf(state).connect(transport);
    return transport;
  };
  const server = await startHttpServer((req, res) => {
    state.authorizations.push(req.headers.authorization);
    state.traceparents.push(String(req.headers['traceparent']));
    state.tracestates.push(String(req.headers['tracestate']));
    if (state.refuses !== undefined && req.headers.authorization === state.refuses) {
      res.writeHead(401).end();
      return;
    }
    if (state.intercept) {
      state.intercept(req, res);
      return;
    }
    const id = req.headers['mcp-session-id'];
    void (async () => {
      const body: unknown = req.method === 'POST' ? await json(req) : undefined;
      const { method, id: requestId } = Object(body) as { method?: string; id?: unknown };
      if (method === 'tools/list') state.lists += 1;
      const answers = { 'tools/call': state.answerCalls, 'tools/list': state.answerLists };
      const answer =
        method === 'tools/call' || method === 'tools/list' ? answers[method] : undefined;
      if (answer) {
        res.writeHead(200, { 'content-type': 'application/json' });
        const message = answer(requestId);
        res.end(typeof message === 'string' ? message : JSON.stringify(message));
        return;
      }
      const transport = (typeof id === 'string' ? sessions.get(id) : undefined) ?? (await begin());
      await transport.handleRequest(req, res, body);
    })();
  });
  return Object.assign(state, {
    url: `${server.url}/mcp`,
    cut: server.cut,
    stop: server.stop,
  });
}

function protocolOf({
  tools,
  called,
  metadata,
}: Pick<TestMcpServer, 'tools' | 'called' | 'metadata'>): McpServer {
  const server = new McpServer({ name: 'orders', version: '1.0.0' });
  for (const [name, { description, parameters, run }] of Object.entries(tools)) {
    const inputSchema = Object.fromEntries(parameters.map((parameter) => [parameter, z.string()]));
    server.registerTool(name, { description, inputSchema }, async (args, { _meta }) => {
      const texts = args as Record<string, string>;
      called.push({ name, args: texts });
      metadata.push(_meta);
      return { content: [{ type: 'text', text: await run(texts) }] };
    });
  }
  return server;
}

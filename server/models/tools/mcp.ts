/** Connects to servers of the Model Context Protocol, over HTTP only. */
import { createMCPClient, type CallToolResult, type MCPClient } from '@ai-sdk/mcp';
import { z } from 'zod';
import type { McpServer } from '../../../generated/manifest.js';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.js';
import { redact } from '../../lib/text/redact.js';
import { errorText } from '../error-text.js';
import { maxMcp } from '../limits.js';
import { excessOfSchema } from '../schema-checks.js';
import { explainCallFailure, resultText, ToolFailure, type ToolPolicy } from './tool.js';
import type { McpToolDefinition } from './mcp-definition.js';
import { createMcpFetch, withCallMeta } from './mcp-fetch.js';
import { readToolHeaders } from './tool-headers.js';

interface McpCall {
  definition: McpToolDefinition;
  args: Readonly<Record<string, unknown>>;
  /** The same if the call is repeated. */
  key: string;
}

export interface McpConnection {
  /** Lists all tools of the server. Throws a ToolFailure. */
  list: (signal: AbortSignal) => Promise<McpToolDefinition[]>;
  /** Throws a ToolFailure. */
  call: (call: McpCall, signal: AbortSignal) => Promise<string>;
  close: () => Promise<void>;
}

/** Throws a ToolFailure if the server cannot be used. */
export async function connectMcp(
  server: McpServer,
  { allowPrivate, traceHeaders, references = {}, origin, maxResult }: ToolPolicy,
  signal: AbortSignal,
): Promise<McpConnection> {
  let client: MCPClient | undefined;
  let secrets: readonly string[] = [];
  try {
    const headers = await readToolHeaders(server.headers, references);
    ({ secrets } = headers);
    client = await createMCPClient({
      clientName: 'agent-hosting-service',
      transport: {
        type: 'http',
        url: server.url,
        headers: { ...traceHeaders, ...headers.values },
        redirect: 'error',
        fetch: createMcpFetch(createGuardedFetch({ allowPrivate, limits: maxMcp.response })),
      },
      initializationOptions: { signal },
      // A failed call may have taken effect, so it is never repeated.
      maxRetries: 0,
      // Errors of a call are thrown by the call; others are ignored.
      onUncaughtError: () => undefined,
    });
    return connectionOf(client, { secrets, origin, maxResult });
  } catch (error) {
    void client?.close().catch(() => undefined);
    signal.throwIfAborted();
    throw toToolFailure(error, secrets);
  }
}

/** Connects only to list the tools. Throws a ToolFailure. */
export async function listMcpTools(
  server: McpServer,
  policy: ToolPolicy,
  signal: AbortSignal,
): Promise<McpToolDefinition[]> {
  const connection = await connectMcp(server, policy, signal);
  try {
    return await connection.list(signal);
  } finally {
    void connection.close();
  }
}

function connectionOf(
  client: MCPClient,
  {
    secrets,
    origin,
    maxResult,
  }: Pick<ToolPolicy, 'origin' | 'maxResult'> & { secrets: readonly string[] },
): McpConnection {
  return {
    async list(signal) {
      try {
        const definitions = await listTools(client, signal);
        return definitions.map((definition) => redactDefinition(definition, secrets));
      } catch (error) {
        signal.throwIfAborted();
        throw toToolFailure(error, secrets);
      }
    },
    async call({ definition, args, key }, signal) {
      const { execute } =
        client.toolsFromDefinitions({ tools: [definition] })[definition.name] ?? {};
      if (!execute) throw new ToolFailure('the server does not offer it');
      let result: CallToolResult;
      try {
        const options = { abortSignal: signal, toolCallId: definition.name, messages: [] };
        const call = () => execute({ ...args }, options);
        result = (await withCallMeta({ key, origin }, call)) as CallToolResult;
      } catch (error) {
        signal.throwIfAborted();
        throw toToolFailure(error, secrets);
      }
      const text = resultText(textOf(result), { secrets, maxResult });
      if (result.isError === true) throw new ToolFailure('the tool failed', text || undefined);
      return text;
    },
    close: async () => {
      const timer = AbortSignal.timeout(maxMcp.closeMs);
      const isLate = new Promise<void>((resolve) => {
        timer.addEventListener('abort', () => {
          resolve();
        });
      });
      await Promise.race([client.close().catch(() => undefined), isLate]);
    },
  };
}

async function listTools(client: MCPClient, signal: AbortSignal): Promise<McpToolDefinition[]> {
  const { pages, tools: maxTools, length: maxLength } = maxMcp.list;
  const tools: McpToolDefinition[] = [];
  let length = 0;
  let cursor: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const listed = await client.listTools({
      ...(cursor === undefined ? {} : { params: { cursor } }),
      options: { signal },
    });
    length += JSON.stringify(listed.tools.filter(isUsable)).length;
    if (tools.length + listed.tools.length > maxTools || length > maxLength) break;
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new ToolFailure('its list of tools is too long');
}

/** Excludes tools whose schema is too deep to be serialized. They are withdrawn later. */
function isUsable({ inputSchema }: McpToolDefinition): boolean {
  return excessOfSchema(inputSchema) === undefined;
}

/** The model receives names, descriptions and schemas, and `agents apply` prints some of them. */
function redactDefinition(
  definition: McpToolDefinition,
  secrets: readonly string[],
): McpToolDefinition {
  if (!isUsable(definition)) return definition;
  const text = JSON.stringify(definition);
  return JSON.parse(redact(text, secrets, text.length)) as McpToolDefinition;
}

const contentOfResult = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })).default([]),
  structuredContent: z.unknown().optional(),
});

function textOf(result: CallToolResult): string {
  const { data, success } = contentOfResult.safeParse(result);
  if (!success) throw new ToolFailure('the result of the tool is not valid');
  const { content, structuredContent } = data;
  if (content.length === 0 && structuredContent !== undefined) {
    return JSON.stringify(structuredContent);
  }
  return content.map(({ type, text }) => text ?? `[${type}, which is not text]`).join('\n');
}

function toToolFailure(error: unknown, secrets: readonly string[]): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const status = statusOf(error);
  if (status !== undefined) return new ToolFailure(`the server answered with status ${status}`);
  return isProtocolError(error)
    ? new ToolFailure('the server answered with an error', errorText(error.message, secrets))
    : new ToolFailure(explainCallFailure(error));
}

/** Protocol errors have a numeric code, and messages from the server. */
function isProtocolError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

function statusOf(error: unknown): number | undefined {
  const hasStatus = typeof error === 'object' && error !== null && 'statusCode' in error;
  return hasStatus && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

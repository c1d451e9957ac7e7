/** Opens the tools of an agent: lists the tools of its MCP servers, and withdraws those that have changed. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { McpServer } from '../../../generated/manifest.js';
import { orAborted } from '../../lib/async/abort.js';
import type { AgentOptions } from '../../contract/agent-options.js';
import { HostQueues } from '../../lib/async/host-queues.js';
import { parseDuration } from '../../lib/time/duration.js';
import { maxCallsPerHost, toolListCache } from '../limits.js';
import { ModelFailure } from '../model.js';
import { excessOfSchema } from '../schema-checks.js';
import { createHttpTool } from './http-tool.js';
import type { McpConnection } from './mcp.js';
import { hashDefinition, type McpToolDefinition, nameOfTool } from './mcp-definition.js';
import { referencesIn } from './references.js';
import {
  type Approver,
  type ReferenceValues,
  type Tool,
  ToolFailure,
  ToolNotSent,
  type ToolPolicy,
} from './tool.js';

interface OpenTools {
  tools: Tool[];
  /** Tools that the manifest allows but that cannot be used, and why. */
  withdrawn: { name: string; reason: string }[];
  close: () => Promise<void>;
}

/** The tools of a server that the agent may use. */
interface ServerTools {
  /** Unchanged since the manifest was applied. */
  definitions: McpToolDefinition[];
  withdrawn: OpenTools['withdrawn'];
}

const createListCache = () =>
  new LRUCache<string, ServerTools, () => Promise<ServerTools>>({
    max: toolListCache.maxEntries,
    ttl: toolListCache.ttlMs,
    // Reads the clock every time; by default lru-cache sets a timer instead.
    ttlResolution: 0,
    fetchMethod: (_key, _expired, { context: load }) => load(),
    // A list that is no longer needed here is still for the invocations that wait for it.
    ignoreFetchAbort: true,
    // While a server does not answer, its list stays until it expires.
    noDeleteOnFetchRejection: true,
  });
const sharedLists = createListCache();
/** Apart, because an agent can have so many callers that their lists would push out those of all other agents. */
const listsOfCallers = createListCache();
const hostQueues = new HostQueues(maxCallsPerHost);

interface OpenToolsOptions extends ToolPolicy {
  /** Calls to a host with the same key wait in one line. */
  queueKey: string;
}

/** Throws a ModelFailure if a server cannot be used, since a model without its tools would give another answer. */
export async function openTools(
  {
    tools: { mcp = [], http = [], maxResult } = { maxSteps: 0 },
    toolDefinitions = {},
  }: AgentOptions,
  { queueKey, ...policy }: OpenToolsOptions,
  signal: AbortSignal,
): Promise<OpenTools> {
  const opened = await Promise.all(
    mcp.map(async (server) => {
      const { definitions, withdrawn } = await findTools(server, toolDefinitions, policy, signal);
      const { call, close } = connectLazily(server, { ...policy, maxResult }, signal);
      const tools = definitions.map((definition) =>
        limitPerHost(toolOf(server, definition, call), { url: server.url, queueKey }),
      );
      return { tools, withdrawn, close };
    }),
  );
  const { allowPrivate, references } = policy;
  return {
    tools: [
      ...opened.flatMap(({ tools }) => tools),
      ...http.map((tool) =>
        limitPerHost(createHttpTool(tool, { allowPrivate, maxResult, references }), {
          url: tool.url,
          queueKey,
        }),
      ),
    ],
    withdrawn: opened.flatMap(({ withdrawn }) => withdrawn),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/**
 * Cached by everything that it depends on, including the hashes of the definitions, so that applying a manifest again uses a new
 * entry, and what the run sends of its caller, so that no caller gets or spoils the list of another. Invocations share the request for a
 * list, so the signal of one of them does not abort it.
 */
async function findTools(
  server: McpServer,
  applied: Record<string, string>,
  policy: ToolPolicy,
  signal: AbortSignal,
): Promise<ServerTools> {
  const hashes = server.allow.map((tool) => applied[nameOfTool(server.name, tool)]);
  const caller = hashOfCaller(server, policy.references);
  const lists = caller === undefined ? sharedLists : listsOfCallers;
  const key = JSON.stringify([server, hashes, policy.allowPrivate, caller]);
  const load = async () => {
    const { listMcpTools } = await import('./mcp.js');
    const list = (limited: AbortSignal) => listMcpTools(server, policy, limited);
    return selectTools(await withServerTimeout(server, undefined, list), server, applied);
  };
  try {
    const age = toolListCache.ttlMs - lists.getRemainingTTL(key);
    const found = lists.forceFetch(key, {
      context: load,
      forceRefresh: age > toolListCache.refreshMs,
      allowStale: age < toolListCache.ttlMs,
    });
    return await orAborted(found, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { message, said } =
      error instanceof ToolFailure ? error : new ToolFailure('the connection failed');
    throw new ModelFailure(`the MCP server '${server.name}' cannot be used: ${message}`, {
      retryable: true,
      said,
      upstream: 'MCP server',
    });
  }
}

/** A hash of what the server gets to know of the caller, so that no token stays in memory. Undefined if that is nothing. */
function hashOfCaller(server: McpServer, references: ReferenceValues = {}): string | undefined {
  const values = referencesIn({ mcp: [server] })
    // It differs in each run, and says nothing of the caller.
    .filter(({ reference }) => reference !== 'request.id')
    .map(({ reference }) => [reference, references[reference]]);
  if (values.length === 0) return undefined;
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}

function selectTools(
  listed: McpToolDefinition[],
  server: McpServer,
  applied: Record<string, string>,
): ServerTools {
  const selected: ServerTools = { definitions: [], withdrawn: [] };
  for (const allowed of server.allow) {
    const name = nameOfTool(server.name, allowed);
    const definition = listed.find((own) => own.name === allowed);
    if (!definition) {
      selected.withdrawn.push({ name, reason: 'the server no longer offers it' });
      continue;
    }
    const excess = excessOfSchema(definition.inputSchema);
    if (excess !== undefined) {
      selected.withdrawn.push({ name, reason: `its schema ${excess}` });
    } else if (hashDefinition(definition) !== applied[name]) {
      selected.withdrawn.push({
        name,
        reason:
          'its definition has changed since the manifest was applied; apply it again to allow that',
      });
    } else {
      selected.definitions.push(definition);
    }
  }
  return selected;
}

/** Connects at the first tool call, for all calls of the invocation. */
function connectLazily(
  server: McpServer,
  policy: ToolPolicy,
  signal: AbortSignal,
): Pick<McpConnection, 'call' | 'close'> {
  let connecting: Promise<McpConnection> | undefined;
  const connect = async () => {
    // Imported on first use, since most installations use no MCP server.
    const { connectMcp } = await import('./mcp.js');
    return withServerTimeout(server, signal, (limited) => connectMcp(server, policy, limited));
  };
  return {
    async call(made, callSignal) {
      connecting ??= connect().catch((error: unknown) => {
        // The next call tries again.
        connecting = undefined;
        throw error;
      });
      const connection = await orAborted(connecting, callSignal).catch((error: unknown) => {
        if (!callSignal.aborted) throw error;
        throw new ToolNotSent(
          'Not sent: the server took too long to connect. The call had no effect.',
        );
      });
      return connection.call(made, callSignal);
    },
    close: async () => {
      const connection = await connecting?.catch(() => undefined);
      await connection?.close();
    },
  };
}

/** Throws a ToolFailure if the server takes longer than the manifest allows, or the signal's reason. */
async function withServerTimeout<Result>(
  server: McpServer,
  signal: AbortSignal | undefined,
  work: (limited: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeoutMs = parseDuration(server.timeout) ?? 0;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await work(signal ? AbortSignal.any([signal, timeout]) : timeout);
  } catch (error) {
    signal?.throwIfAborted();
    throw timeout.aborted ? new ToolFailure(`no answer within ${timeoutMs} ms`) : error;
  }
}

function toolOf(
  server: McpServer,
  definition: McpToolDefinition,
  call: McpConnection['call'],
): Tool {
  return {
    name: nameOfTool(server.name, definition.name),
    description: definition.description ?? '',
    parameters: definition.inputSchema,
    timeoutMs: parseDuration(server.timeout) ?? 0,
    // Hints of the server, which the hash of the definition does not cover: they only decide whether a lost call is made again.
    mayRepeat:
      definition.annotations?.readOnlyHint === true ||
      definition.annotations?.idempotentHint === true,
    approver: approverOf(server, definition.name),
    call: (args, signal, { key }) => call({ definition, args, key }, signal),
  };
}

/** Only what the manifest lists: a tool may have the name of a property that every object inherits. */
function approverOf({ approval = {} }: McpServer, tool: string): Approver | undefined {
  return Object.hasOwn(approval, tool) ? approval[tool] : undefined;
}

/** Calls beyond the limit wait, within their own timeout. */
function limitPerHost(tool: Tool, { url, queueKey }: { url: string; queueKey: string }): Tool {
  const { host } = new URL(url);
  return {
    ...tool,
    call: async (args, signal, identity) => {
      const release = await hostQueues.enter(host, queueKey, signal).catch(() => {
        throw new ToolNotSent(
          `Not sent: too many calls to ${host} were running for ${tool.timeoutMs} ms. The call had no effect.`,
        );
      });
      return tool.call(args, signal, identity).finally(release);
    },
  };
}

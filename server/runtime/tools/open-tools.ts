/** Opens the tools of an agent: finds out what its MCP servers offer, and withdraws what they have changed. */
import type { McpServer } from '../../../generated/manifest.js';
import { orAborted } from '../../lib/async/abort.js';
import type { AgentOptions } from '../../contract/agent-options.js';
import { createCache } from '../../lib/async/cache.js';
import { parseDuration } from '../../lib/time/duration.js';
import { createSlots } from '../../lib/async/slots.js';
import { maxCallsPerHost, toolListCache } from '../limits.js';
import { ModelFailure } from '../model.js';
import { excessOfSchema } from '../schemas.js';
import { createHttpTool } from './http-tool.js';
import type { McpConnection } from './mcp.js';
import { hashDefinition, type McpToolDefinition, nameOfTool } from './mcp-definition.js';
import { type Tool, ToolFailure, type ToolPolicy } from './tool.js';

export interface OpenTools {
  tools: Tool[];
  /** Those that the manifest allows and the agent must do without, and why. */
  withdrawn: { name: string; reason: string }[];
  close: () => Promise<void>;
}

/** What a server offers of what an agent may use. */
interface Offer {
  /** As they were when the manifest was applied. */
  definitions: McpToolDefinition[];
  withdrawn: OpenTools['withdrawn'];
}

const offers = createCache<Offer>(toolListCache);
const callsPerHost = createSlots(maxCallsPerHost);

/** Throws a ModelFailure if a server cannot be used: a model without its tools would give another answer. */
export async function openTools(
  { tools: { mcp = [], http = [] } = { maxSteps: 0 }, toolDefinitions = {} }: AgentOptions,
  policy: ToolPolicy,
  signal: AbortSignal,
): Promise<OpenTools> {
  const opened = await Promise.all(
    mcp.map(async (server) => {
      const { definitions, withdrawn } = await offerOf(server, toolDefinitions, policy, signal);
      const { call, close } = connectLazily(server, policy, signal);
      const tools = definitions.map((definition) => toolOf(server, definition, call));
      return { tools, withdrawn, close };
    }),
  );
  const { allowPrivate } = policy;
  return {
    tools: [
      ...opened.flatMap(({ tools }) => tools),
      ...http.map((tool) => perHost(tool.url, createHttpTool(tool, { allowPrivate }))),
    ],
    withdrawn: opened.flatMap(({ withdrawn }) => withdrawn),
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/**
 * Cached by everything that it depends on, with the hashes of the definitions: a manifest that is applied with others is
 * another entry. Invocations share a list, so none of them can stop it.
 */
async function offerOf(
  server: McpServer,
  applied: Record<string, string>,
  policy: ToolPolicy,
  signal: AbortSignal,
): Promise<Offer> {
  const hashes = server.allow.map((tool) => applied[nameOfTool(server.name, tool)]);
  const key = JSON.stringify([server, hashes, policy.allowPrivate]);
  const load = async () => {
    const { listMcpTools } = await import('./mcp.js');
    const list = (limited: AbortSignal) => listMcpTools(server, policy, limited);
    return offerAmong(await inTime(server, undefined, list), server, applied);
  };
  try {
    const offer = await orAborted(offers.get(key, load), signal);
    return offer ?? { definitions: [], withdrawn: [] };
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

function offerAmong(
  listed: McpToolDefinition[],
  server: McpServer,
  applied: Record<string, string>,
): Offer {
  const offer: Offer = { definitions: [], withdrawn: [] };
  for (const allowed of server.allow) {
    const name = nameOfTool(server.name, allowed);
    const definition = listed.find((own) => own.name === allowed);
    if (!definition) {
      offer.withdrawn.push({ name, reason: 'the server no longer offers it' });
      continue;
    }
    const excess = excessOfSchema(definition.inputSchema);
    if (excess !== undefined) {
      offer.withdrawn.push({ name, reason: `its schema ${excess}` });
    } else if (hashDefinition(definition) !== applied[name]) {
      offer.withdrawn.push({
        name,
        reason:
          'its definition has changed since the manifest was applied; apply it again to allow that',
      });
    } else {
      offer.definitions.push(definition);
    }
  }
  return offer;
}

/** Connects when a tool is called first, for all calls of the invocation. */
function connectLazily(
  server: McpServer,
  policy: ToolPolicy,
  signal: AbortSignal,
): Pick<McpConnection, 'call' | 'close'> {
  let connecting: Promise<McpConnection> | undefined;
  const connect = async () => {
    // Imported on first use, as the providers are.
    const { connectMcp } = await import('./mcp.js');
    return inTime(server, signal, (limited) => connectMcp(server, policy, limited));
  };
  return {
    async call(definition, args, callSignal) {
      connecting ??= connect().catch((error: unknown) => {
        // The next call may find the server back.
        connecting = undefined;
        throw error;
      });
      const connection = await orAborted(connecting, callSignal);
      return connection.call(definition, args, callSignal);
    },
    close: async () => {
      const connection = await connecting?.catch(() => undefined);
      await connection?.close();
    },
  };
}

/** Throws a ToolFailure if the server takes longer than the manifest allows, or the signal's reason. */
async function inTime<Result>(
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
  return perHost(server.url, {
    name: nameOfTool(server.name, definition.name),
    description: definition.description ?? '',
    parameters: definition.inputSchema,
    timeoutMs: parseDuration(server.timeout) ?? 0,
    call: (args, signal) => call(definition, args, signal),
  });
}

/** No agent floods a host: further calls wait within their own time. */
function perHost(url: string, tool: Tool): Tool {
  const { host } = new URL(url);
  return {
    ...tool,
    call: (args, signal, traceHeaders) =>
      callsPerHost(host, signal, () => tool.call(args, signal, traceHeaders)),
  };
}

/** Opens the tools of an agent: connects to its MCP servers, and withdraws what they have changed. */
import type { McpServer } from '../../../generated/manifest.js';
import type { AgentOptions } from '../../lib/agent-options.js';
import { parseDuration } from '../../lib/duration.js';
import type { TraceHeaders } from '../../lib/telemetry.js';
import { ModelFailure } from '../model.js';
import { createHttpTool } from './http-tool.js';
import type { McpConnection } from './mcp.js';
import { hashDefinition, nameOfTool } from './mcp-definition.js';
import { type Tool, ToolFailure } from './tool.js';

export interface ToolPolicy {
  allowPrivate: boolean;
  /** For the connections to MCP servers, each of which serves all calls of an invocation. */
  traceHeaders?: TraceHeaders;
}

export interface OpenTools {
  tools: Tool[];
  /** Those that the manifest allows and the agent must do without, and why. */
  withdrawn: { name: string; reason: string }[];
  close: () => Promise<void>;
}

/** Throws a ModelFailure if a server cannot be used: a model without its tools would give another answer. */
export async function openTools(
  { tools: { mcp = [], http = [] } = { maxSteps: 0 }, toolDefinitions = {} }: AgentOptions,
  policy: ToolPolicy,
  signal: AbortSignal,
): Promise<OpenTools> {
  const opened = await Promise.allSettled(mcp.map((server) => connect(server, policy, signal)));
  const connections = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const close = async () => {
    await Promise.all(connections.map((connection) => connection.close()));
  };
  const failed = opened.find((one) => one.status === 'rejected');
  if (failed) {
    void close();
    throw failed.reason;
  }
  const offered = mcp.map((server, index) =>
    offeredBy(server, connections[index], toolDefinitions),
  );
  return {
    tools: [
      ...offered.flatMap(({ tools }) => tools),
      ...http.map((tool) => createHttpTool(tool, { allowPrivate: policy.allowPrivate })),
    ],
    withdrawn: offered.flatMap(({ withdrawn }) => withdrawn),
    close,
  };
}

async function connect(
  server: McpServer,
  policy: ToolPolicy,
  signal: AbortSignal,
): Promise<McpConnection> {
  const timeoutMs = parseDuration(server.timeout) ?? 0;
  // Imported on first use, as the providers are.
  const { connectMcp } = await import('./mcp.js');
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    return await connectMcp(server, policy, limited);
  } catch (error) {
    signal.throwIfAborted();
    const { message, said } = limited.aborted
      ? new ToolFailure(`no answer within ${timeoutMs} ms`)
      : error instanceof ToolFailure
        ? error
        : new ToolFailure('the connection failed');
    throw new ModelFailure(`the MCP server '${server.name}' cannot be used: ${message}`, {
      retryable: true,
      said,
    });
  }
}

function offeredBy(
  server: McpServer,
  connection: McpConnection | undefined,
  applied: Record<string, string>,
): Pick<OpenTools, 'tools' | 'withdrawn'> {
  const tools: Tool[] = [];
  const withdrawn: OpenTools['withdrawn'] = [];
  for (const allowed of server.allow) {
    const name = nameOfTool(server.name, allowed);
    const definition = connection?.definitions.find((own) => own.name === allowed);
    if (!connection || !definition) {
      withdrawn.push({ name, reason: 'the server no longer offers it' });
    } else if (hashDefinition(definition) !== applied[name]) {
      withdrawn.push({
        name,
        reason:
          'its definition has changed since the manifest was applied; apply it again to allow that',
      });
    } else {
      tools.push({
        name,
        description: definition.description ?? '',
        parameters: definition.inputSchema,
        timeoutMs: parseDuration(server.timeout) ?? 0,
        call: (args, signal) => connection.call(definition, args, signal),
      });
    }
  }
  return { tools, withdrawn };
}

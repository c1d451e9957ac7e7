/** Checks that a manifest's tools can be used before it is applied, and records the tool definitions of MCP servers. */
import { exitCodes } from '../../client/cli/exit-code-values.js';
import type { AgentManifest, McpServer } from '../../generated/manifest.js';
import type { ResolvedManifest } from '../agents/manifests/conversion.js';
import { findingsInTool } from '../agents/manifests/models.js';
import { problemsWithTools } from '../agents/manifests/tools.js';
import type { ToolText } from '../contract/agent-options.js';
import { parseDuration } from '../lib/time/duration.js';
import { isVariableDefined } from '../lib/text/secret-reference.js';
import { checkTarget, TargetRefused } from '../lib/net/target-address.js';
import { problemWithSchema } from '../models/schema-checks.js';
import {
  hashDefinition,
  type McpToolDefinition,
  nameOfTool,
  textOfDefinition,
} from '../models/tools/mcp-definition.js';
import { ToolFailure } from '../models/tools/tool.js';
import { withoutReferences } from '../models/tools/tool-headers.js';
import { CommandFailure } from './failure.js';

interface Problem {
  field: string;
  error: string;
}

interface ResolvedTools {
  manifest: ResolvedManifest;
  /** Tools of MCP servers whose definitions the agent's models refuse, or may refuse. */
  warnings: string[];
}

/** Throws unless all tools of the manifest are available. */
export async function resolveTools(
  manifest: AgentManifest,
  { allowPrivate }: { allowPrivate: boolean },
): Promise<ResolvedTools> {
  const problems: Problem[] = await problemsWithTools(manifest);
  if (problems.length > 0) throw unusableTools(manifest, problems);
  const { mcp = [], http = [] } = manifest.tools ?? {};
  if (mcp.length === 0 && http.length === 0) return { manifest, warnings: [] };

  const refused = await Promise.all(
    http.map(async ({ url }, index) => {
      // Placeholders in braces occur only in the path, which the check ignores.
      const error = await targetProblem(new URL(url.replaceAll(/[{}]/g, '')), allowPrivate);
      return error === undefined ? [] : [{ field: `tools.http.${index}.url`, error }];
    }),
  );
  const listed = await Promise.all(
    mcp.map((server, index) => listServerTools(server, `tools.mcp.${index}`, allowPrivate)),
  );
  const found = [...refused.flat(), ...listed.flatMap(({ problems: own }) => own)];
  if (found.length > 0) throw unusableTools(manifest, found);
  if (mcp.length === 0) return { manifest, warnings: [] };
  const tools = listed.flatMap(({ tools: own }) => own);
  return {
    manifest: {
      ...manifest,
      toolDefinitions: Object.fromEntries(tools.map(({ name, hash }) => [name, hash])),
      toolTexts: Object.fromEntries(tools.map(({ name, text }) => [name, text])),
    },
    warnings: tools.flatMap((tool) => warningsAbout(tool, manifest)),
  };
}

/** The manifest has no line for what a server defines. Names are checked with the manifest, which has them. */
function warningsAbout({ server, tool, text }: ListedTool, manifest: AgentManifest): string[] {
  const { description, inputSchema: parameters } = text;
  return findingsInTool({ name: '', description, parameters }, manifest).map(
    ({ part, message }) => `the ${part} of '${tool}' of the MCP server '${server}' ${message}`,
  );
}

interface ListedTool {
  server: string;
  /** Its name on the server. */
  tool: string;
  /** Its name for the model. */
  name: string;
  hash: string;
  text: ToolText;
}

interface ListedServer {
  tools: ListedTool[];
  problems: Problem[];
}

async function listServerTools(
  server: McpServer,
  field: string,
  allowPrivate: boolean,
): Promise<ListedServer> {
  const { name, allow, timeout, headers = {} } = server;
  const missing = Object.entries(headers).find(([, reference]) => !isVariableDefined(reference));
  if (missing) {
    const [header, reference] = missing;
    const error = `refers to ${reference}, which must also be set in this shell, since this command asks the server for its tools`;
    return { tools: [], problems: [{ field: `${field}.headers.${header}`, error }] };
  }
  const signal = AbortSignal.timeout(parseDuration(timeout) ?? 0);
  const { listMcpTools } = await import('../models/tools/mcp.js');
  let offered: McpToolDefinition[];
  try {
    const ofNobody = { ...server, headers: withoutReferences(server.headers) };
    offered = await listMcpTools(ofNobody, { allowPrivate }, signal);
  } catch (error) {
    const reason =
      error instanceof ToolFailure ? error.text : `there was no answer within ${timeout}`;
    return {
      tools: [],
      problems: [{ field, error: `cannot be used: ${reason}` }],
    };
  }
  const names = offered.map((definition) => definition.name).join(', ');
  const listed: ListedServer = { tools: [], problems: [] };
  for (const tool of allow) {
    const definition = offered.find((own) => own.name === tool);
    const problem = definition && (await problemWithSchema(definition.inputSchema));
    if (definition && problem === undefined) {
      listed.tools.push({
        server: name,
        tool,
        name: nameOfTool(name, tool),
        hash: hashDefinition(definition),
        text: textOfDefinition(definition),
      });
    } else {
      const error = definition
        ? `whose schema ${problem}`
        : `which the server does not offer; it offers: ${names || 'none'}`;
      listed.problems.push({ field: `${field}.allow`, error: `names '${tool}', ${error}` });
    }
  }
  return listed;
}

async function targetProblem(url: URL, allowPrivate: boolean): Promise<string | undefined> {
  try {
    await checkTarget(url, { allowPrivate });
    return undefined;
  } catch (error) {
    // A name that does not resolve now may do so later.
    return error instanceof TargetRefused ? error.reason : undefined;
  }
}

function unusableTools({ name }: AgentManifest, problems: Problem[]): CommandFailure {
  return new CommandFailure(
    `The tools or the output of '${name}' cannot be used, and nothing was changed:`,
    problems.map(({ field, error }) => `  ${field} ${error}`),
    exitCodes.usage,
  );
}

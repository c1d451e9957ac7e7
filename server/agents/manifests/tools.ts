/** Checks rules for tools and output that the manifest schema cannot express. */
import type { FieldProblem } from '../../../generated/api.js';
import type { AgentManifest, AgentTool, HttpTool, Tools } from '../../../generated/manifest.js';
import { longestRunMs, longestWaitMs, nameOfAgentTool } from '../../contract/agent-options.js';
import { parseDuration } from '../../lib/time/duration.js';
import { problemWithSchema } from '../../models/schema-checks.js';
import { nameOfTool } from '../../models/tools/mcp-definition.js';
import { declaredBy, problemWithTemplate } from '../../models/tools/url-template.js';

export async function problemsWithTools({ tools, output }: AgentManifest): Promise<FieldProblem[]> {
  return [
    ...(tools ? await problemsInTools(tools) : []),
    ...(output ? await problemsInSchema('output.schema', output.schema) : []),
  ];
}

async function problemsInTools(tools: Tools): Promise<FieldProblem[]> {
  const { mcp = [], http = [], agents = [] } = tools;
  if (mcp.length + http.length + agents.length === 0) {
    return [{ field: 'tools', error: "must have 'mcp', 'http' or 'agents'" }];
  }
  const inHttp = await Promise.all(
    http.map((tool, index) => problemsInHttpTool(`tools.http.${index}`, tool)),
  );
  return [
    ...mcp.flatMap(({ timeout }, index) => problemsInTimeout(`tools.mcp.${index}`, timeout)),
    ...inHttp.flat(),
    ...agents.flatMap((agent, index) => problemsInAgentTool(`tools.agents.${index}`, agent)),
    ...problemsInNames(tools),
  ];
}

async function problemsInHttpTool(
  field: string,
  { url, parameters, arguments: fixed = {}, timeout }: HttpTool,
): Promise<FieldProblem[]> {
  const problem = problemWithTemplate(url, {
    required: [...requiredBy(parameters), ...Object.keys(fixed)],
    declared: declaredBy(parameters),
  });
  return [
    ...(problem === undefined ? [] : [{ field: `${field}.url`, error: problem }]),
    ...(await problemsInSchema(`${field}.parameters`, parameters)),
    ...problemsInTimeout(field, timeout),
  ];
}

/** The parameters that every call has. */
function requiredBy(schema: object): string[] {
  const { required = [], properties = {} } = schema as { required?: unknown; properties?: object };
  return Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string' && name in properties)
    : [];
}

async function problemsInSchema(field: string, schema: object): Promise<FieldProblem[]> {
  const error = await problemWithSchema(schema);
  return error === undefined ? [] : [{ field, error }];
}

function problemsInTimeout(field: string, timeout: string): FieldProblem[] {
  const timeoutMs = parseDuration(timeout) ?? 0;
  const fits = timeoutMs >= 1 && timeoutMs <= longestWaitMs;
  return fits ? [] : [{ field: `${field}.timeout`, error: 'must be from 1ms to 10m' }];
}

/** An answer may take as long as any run, since the invocation that waits for it may. */
function problemsInAgentTool(field: string, { timeout }: AgentTool): FieldProblem[] {
  const timeoutMs = timeout === undefined ? longestRunMs : (parseDuration(timeout) ?? 0);
  const fits = timeoutMs >= 1 && timeoutMs <= longestRunMs;
  return fits ? [] : [{ field: `${field}.timeout`, error: 'must be from 1ms to 24h' }];
}

/** Names must be unique, because the model identifies tools by them. */
function problemsInNames({ mcp = [], http = [], agents = [] }: Tools): FieldProblem[] {
  const named = [
    ...mcp.flatMap(({ name, allow }, index) =>
      allow.map((tool) => ({ field: `tools.mcp.${index}.allow`, name: nameOfTool(name, tool) })),
    ),
    ...http.map(({ name }, index) => ({ field: `tools.http.${index}.name`, name })),
    ...agents.map(({ name }, index) => ({
      field: `tools.agents.${index}.name`,
      name: nameOfAgentTool(name),
    })),
  ];
  return named.flatMap(({ field, name }, index) => {
    const isTaken = named.slice(0, index).some((other) => other.name === name);
    return isTaken ? [{ field, error: `results in a second tool named '${name}'` }] : [];
  });
}

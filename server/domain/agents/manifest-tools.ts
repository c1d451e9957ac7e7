/** Checks what the schema of manifests cannot say of tools and of the output. */
import type { FieldProblem } from '../../../generated/api.js';
import type { AgentManifest, HttpTool, Tools } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/duration.js';
import { messageOf } from '../../lib/error-code.js';
import { compileSchema } from '../../lib/json-schema.js';
import { nameOfTool } from '../../runtime/tools/mcp-definition.js';
import { declaredBy, problemWithTemplate } from '../../runtime/tools/url-template.js';

const maxTimeoutMs = 600_000;
/** As providers allow it. */
const maxNameLength = 64;

export function problemsWithTools({ tools, output }: AgentManifest): FieldProblem[] {
  return [
    ...(tools ? problemsInTools(tools) : []),
    ...(output ? problemsInSchema('output.schema', output.schema) : []),
  ];
}

function problemsInTools(tools: Tools): FieldProblem[] {
  const { mcp = [], http = [] } = tools;
  if (mcp.length + http.length === 0) {
    return [{ field: 'tools', error: "must have 'mcp' or 'http'" }];
  }
  return [
    ...mcp.flatMap(({ timeout }, index) => problemsInTimeout(`tools.mcp.${index}`, timeout)),
    ...http.flatMap((tool, index) => problemsInHttpTool(`tools.http.${index}`, tool)),
    ...problemsInNames(tools),
  ];
}

function problemsInHttpTool(field: string, { url, parameters, timeout }: HttpTool): FieldProblem[] {
  const problem = problemWithTemplate(url, requiredBy(parameters), declaredBy(parameters));
  return [
    ...(problem === undefined ? [] : [{ field: `${field}.url`, error: problem }]),
    ...problemsInSchema(`${field}.parameters`, parameters),
    ...problemsInTimeout(field, timeout),
  ];
}

/** The parameters that are always there. */
function requiredBy(schema: object): string[] {
  const { required = [], properties = {} } = schema as { required?: unknown; properties?: object };
  return Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string' && name in properties)
    : [];
}

function problemsInSchema(field: string, schema: object): FieldProblem[] {
  try {
    compileSchema(schema);
    return [];
  } catch (error) {
    return [{ field, error: `is not a valid JSON Schema: ${messageOf(error)}` }];
  }
}

function problemsInTimeout(field: string, timeout: string): FieldProblem[] {
  const timeoutMs = parseDuration(timeout) ?? 0;
  const fits = timeoutMs >= 1 && timeoutMs <= maxTimeoutMs;
  return fits ? [] : [{ field: `${field}.timeout`, error: 'must be from 1ms to 10m' }];
}

/** The model tells tools apart by their names alone. */
function problemsInNames({ mcp = [], http = [] }: Tools): FieldProblem[] {
  const named = [
    ...mcp.flatMap(({ name, allow }, index) =>
      allow.map((tool) => ({ field: `tools.mcp.${index}.allow`, name: nameOfTool(name, tool) })),
    ),
    ...http.map(({ name }, index) => ({ field: `tools.http.${index}.name`, name })),
  ];
  return named.flatMap(({ field, name }, index) => {
    if (name.length > maxNameLength) {
      return [{ field, error: `makes the name '${name}', which is longer than 64 characters` }];
    }
    const isTaken = named.slice(0, index).some((other) => other.name === name);
    return isTaken ? [{ field, error: `makes a second tool of the name '${name}'` }] : [];
  });
}

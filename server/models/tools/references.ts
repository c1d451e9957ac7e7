/**
 * References in the settings of tools to what a run brings: its caller's token, values of its context, its id and the name of its agent. They
 * are resolved once, when the run begins, so the model neither sees nor changes what a tool gets of them.
 */
import type { HttpTool, Tools } from '../../../generated/manifest.js';
import type { ReferenceValues } from './tool.js';
import { placeholdersIn, problemInPath } from './url-template.js';

/** The value of a whole Authorization header. */
export const callerToken = 'caller.token';

const reference =
  /^\$\{(caller\.token|context\.[A-Za-z_][A-Za-z0-9_]{0,63}|request\.id|agent\.name)\}$/;

/** What a setting refers to. Undefined if it is a value, or names a secret of the installation. */
export function parseReference(setting: unknown): string | undefined {
  return typeof setting === 'string' ? reference.exec(setting)?.[1] : undefined;
}

/** Where the value of a reference goes. */
type Place = 'header' | 'path' | 'query' | 'body';

interface Use {
  reference: string;
  /** The name of the tool or of the MCP server. */
  tool: string;
  place: Place;
}

export function referencesIn({ mcp = [], http = [] }: Partial<Tools> = {}): Use[] {
  return [
    ...[...mcp, ...http].flatMap(({ name, headers }) => usesIn(name, headers, () => 'header')),
    ...http.flatMap((tool) => usesIn(tool.name, tool.arguments, placesOf(tool))),
  ];
}

function usesIn(
  tool: string,
  settings: Readonly<Record<string, unknown>> = {},
  placeOf: (name: string) => Place,
): Use[] {
  return Object.entries(settings).flatMap(([name, setting]) => {
    const found = parseReference(setting);
    return found === undefined ? [] : [{ reference: found, tool, place: placeOf(name) }];
  });
}

/** Otherwise arguments go into the query. */
export function hasBody(method: HttpTool['method']): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

function placesOf({ url, method }: Pick<HttpTool, 'url' | 'method'>): (name: string) => Place {
  const inUrl = placeholdersIn(url);
  return (name) => (inUrl.has(name) ? 'path' : hasBody(method) ? 'body' : 'query');
}

export interface ReferenceProblem {
  reference: string;
  /** Continues a sentence about the value. */
  problem: string;
}

interface Resolved {
  /** Of what the tools refer to, and nothing else. */
  values: ReferenceValues;
  /** One for each reference at most. */
  problems: ReferenceProblem[];
}

/** `known` has every value that a reference may name. */
export function resolveReferences(
  tools: Partial<Tools> | undefined,
  known: ReferenceValues,
): Resolved {
  const values = new Map<string, unknown>();
  const problems = new Map<string, ReferenceProblem>();
  for (const { reference: name, tool, place } of referencesIn(tools)) {
    const value: unknown = Object.hasOwn(known, name) ? known[name] : undefined;
    const problem = problemWith(value, tool, place);
    if (problem === undefined) values.set(name, value);
    else if (!problems.has(name)) problems.set(name, { reference: name, problem });
  }
  return { values: Object.fromEntries(values), problems: [...problems.values()] };
}

function problemWith(value: unknown, tool: string, place: Place): string | undefined {
  if (value === undefined || value === null) return `is missing: the tool '${tool}' needs it`;
  const problem = problems[place](value);
  return problem && `${problem}, because the tool '${tool}' sends it ${places[place]}`;
}

const places: Record<Place, string> = {
  header: 'in a header',
  path: 'in the path of its URL',
  query: 'in its query',
  body: 'in its body',
};

/** Servers strip spaces around the value of a header, which could make it that of another user. */
const headerValue = /^[!-~]([ -~]*[!-~])?$/;
/** A token of the largest size that is accepted fits, with its scheme. */
const maxHeaderLength = 8_200;

const problems: Record<Place, (value: unknown) => string | undefined> = {
  header: (value) => {
    if (typeof value === 'number' || typeof value === 'boolean') return undefined;
    const fits =
      typeof value === 'string' && value.length <= maxHeaderLength && headerValue.test(value);
    return fits
      ? undefined
      : `must be a number, a boolean or up to ${maxHeaderLength} printable ASCII characters without spaces around them`;
  },
  path: problemInPath,
  // It would be left out, and the server might answer for everybody.
  query: (value) => (Array.isArray(value) && value.length === 0 ? 'must not be empty' : undefined),
  body: () => undefined,
};

/** The value of a setting. Throws if it refers to what was not resolved, so that nothing is ever sent without it. */
export function valueOf(setting: unknown, values: ReferenceValues): unknown {
  const name = parseReference(setting);
  if (name === undefined) return setting;
  if (!Object.hasOwn(values, name)) throw new Error(`The reference ${name} was not resolved.`);
  return values[name];
}

/** The arguments of each call that the model does not decide. */
export function fixedArguments(
  { arguments: settings = {} }: Pick<HttpTool, 'arguments'>,
  values: ReferenceValues,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, valueOf(setting, values)]),
  );
}

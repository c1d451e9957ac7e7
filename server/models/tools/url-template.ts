/** URLs with parameters in braces. Only the path can have them, so that the model cannot change the host. */
import { ToolFailure } from './tool.js';

const placeholder = /\{([^{}/]*)\}/g;

export function placeholdersIn(template: string): Set<string> {
  return new Set(Array.from(template.matchAll(placeholder), ([, name = '']) => name));
}

/** The parameters that a schema declares. No others are sent. */
export function declaredBy(schema: object): Set<string> {
  const { properties } = schema as { properties?: unknown };
  return new Set(Object.keys(Object(properties) as object));
}

interface TemplateArguments {
  /** Those that every call has. */
  required: readonly string[];
  /** Those that the model may send. */
  declared: ReadonlySet<string>;
}

/** Why the template is invalid; undefined if it is valid. */
export function problemWithTemplate(
  template: string,
  { required, declared }: TemplateArguments,
): string | undefined {
  const [path = '', query = ''] = template.split('?', 2);
  if (/[{}]/.test(query)) {
    return 'has braces in its query: parameters that are not in its path are added to the query automatically';
  }
  if (/[{}]/.test(path.replaceAll(placeholder, ''))) return 'has braces that do not match';
  const missing = [...placeholdersIn(path)].find((name) => !required.includes(name));
  if (missing !== undefined) {
    return `names '${missing}', which 'parameters' must have in 'properties' and in 'required', unless 'arguments' has it`;
  }
  if (!URL.canParse(template)) return 'is not a valid address';
  const fixed = [...new URL(template).searchParams.keys()].find((name) => declared.has(name));
  return fixed === undefined
    ? undefined
    : `has '${fixed}' in its query, which must not be in 'parameters' too: the model could change it`;
}

/** Throws a ToolFailure for an argument that cannot be part of a path. */
export function fillUrl(template: string, args: Readonly<Record<string, unknown>>): URL {
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name);
  // The template is parsed first, which encodes its braces, so that arguments cannot change its other parts.
  const url = new URL(template.replaceAll(placeholder, '{}'));
  const path = url.pathname.replaceAll('%7B%7D', () => encodeArgument(names.shift() ?? '', args));
  url.pathname = path;
  // URLs resolve `..` in a path even if it is encoded.
  if (url.pathname !== path) {
    throw new ToolFailure("an argument in the path must not be '.' or '..'");
  }
  return url;
}

function encodeArgument(name: string, args: Readonly<Record<string, unknown>>): string {
  const value = args[name];
  const problem = problemInPath(value);
  if (problem !== undefined) throw new ToolFailure(`the argument '${name}' ${problem}`);
  return encodeURIComponent(String(value));
}

/** Why the value cannot be part of a path; undefined if it can. */
export function problemInPath(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return 'must be text, a number or a boolean';
  }
  const text = String(value);
  if (text.trim() === '') return 'must not be empty';
  if (!text.isWellFormed()) return 'is not valid Unicode';
  // Some servers decode a slash before they resolve dots.
  const isDots = text.split(/[/\\]/).some((part) => part === '.' || part === '..');
  return isDots ? "must not be '.' or '..' in a path" : undefined;
}

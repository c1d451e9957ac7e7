/** URLs with parameters in braces, in their path alone: whatever the model says, the host stays. */
import { ToolFailure } from './tool.js';

const placeholder = /\{([^{}/]*)\}/g;

export function placeholdersIn(template: string): Set<string> {
  return new Set(Array.from(template.matchAll(placeholder), ([, name = '']) => name));
}

/** The parameters that a schema declares. Only they are sent. */
export function declaredBy(schema: object): Set<string> {
  const { properties } = schema as { properties?: unknown };
  return new Set(Object.keys(Object(properties) as object));
}

/** What is wrong with the template; undefined if nothing is. `required` are the parameters that are always there. */
export function problemWithTemplate(
  template: string,
  required: readonly string[],
  declared: ReadonlySet<string>,
): string | undefined {
  const [path = '', query = ''] = template.split('?', 2);
  if (/[{}]/.test(query)) {
    return 'has braces in its query: parameters that its path does not name are added there by themselves';
  }
  if (/[{}]/.test(path.replaceAll(placeholder, ''))) return 'has braces that do not match';
  const missing = [...placeholdersIn(path)].find((name) => !required.includes(name));
  if (missing !== undefined) {
    return `names '${missing}', which 'parameters' must have in 'properties' and in 'required'`;
  }
  if (!URL.canParse(template)) return 'is not a valid address';
  const fixed = [...new URL(template).searchParams.keys()].find((name) => declared.has(name));
  return fixed === undefined
    ? undefined
    : `has '${fixed}' in its query, which must not be in 'parameters' too: the model could change it`;
}

/** Throws a ToolFailure for an argument that cannot stand in a path. */
export function fillUrl(template: string, args: Readonly<Record<string, unknown>>): URL {
  const names = [...template.matchAll(placeholder)].map(([, name = '']) => name);
  // The template is parsed first, so that arguments cannot change its other parts. Its braces are encoded then.
  const url = new URL(template.replaceAll(placeholder, '{}'));
  const path = url.pathname.replaceAll('%7B%7D', () => encodeArgument(names.shift() ?? '', args));
  url.pathname = path;
  // A URL has no form in which `..` is just a name.
  if (url.pathname !== path) throw notAName();
  return url;
}

function encodeArgument(name: string, args: Readonly<Record<string, unknown>>): string {
  const value = args[name];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new ToolFailure(`the argument '${name}' must be text, a number or a boolean`);
  }
  const text = String(value);
  if (text.trim() === '') throw new ToolFailure(`the argument '${name}' must not be empty`);
  if (!text.isWellFormed()) throw new ToolFailure(`the argument '${name}' is not valid Unicode`);
  // Some servers decode a slash before they resolve dots.
  if (text.split(/[/\\]/).some((part) => part === '.' || part === '..')) throw notAName();
  return encodeURIComponent(text);
}

function notAName(): ToolFailure {
  return new ToolFailure("an argument in the path must not be '.' or '..'");
}

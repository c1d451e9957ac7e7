/** URLs with parameters in braces, in their path alone: whatever the model says, the host stays. */
import { ToolFailure } from './tool.js';

const placeholder = /\{([^{}/]*)\}/g;

export function placeholdersIn(template: string): Set<string> {
  return new Set(Array.from(template.matchAll(placeholder), ([, name = '']) => name));
}

/** What is wrong with the template; undefined if nothing is. `required` are the parameters that are always there. */
export function problemWithTemplate(
  template: string,
  required: readonly string[],
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
  const example = template.replaceAll(placeholder, 'x');
  return URL.canParse(example) ? undefined : 'is not a valid address';
}

/** Throws a ToolFailure for an argument that cannot stand in a path. */
export function fillUrl(template: string, args: Readonly<Record<string, unknown>>): URL {
  const filled = template.replaceAll(placeholder, (_, name: string) => {
    const value = args[name];
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new ToolFailure(`the argument '${name}' must be text, a number or a boolean`);
    }
    if (value === '') throw new ToolFailure(`the argument '${name}' must not be empty`);
    return encodeURIComponent(String(value).toWellFormed());
  });
  const url = new URL(filled);
  // Dots would lead to another path: a URL has no form in which `..` is just a name.
  const segments = new URL(template.replaceAll(placeholder, 'x')).pathname.split('/').length;
  if (url.pathname.split('/').length !== segments) {
    throw new ToolFailure("an argument in the path must not be '.' or '..'");
  }
  return url;
}

/** The notation for secrets that are kept elsewhere: `${env:NAME}` is a variable, `${file:path}` a file. */

interface SecretReference {
  kind: 'env' | 'file';
  /** The name of the variable, or the path of the file. */
  target: string;
}

/** Returns undefined if the text is not a reference. */
export function parseSecretReference(text: string): SecretReference | undefined {
  const [, kind, target] = /^\$\{(env|file):([^}]+)\}$/.exec(text) ?? [];
  if ((kind !== 'env' && kind !== 'file') || target === undefined) return undefined;
  return { kind, target };
}

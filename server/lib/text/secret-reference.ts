/** Secrets that are kept elsewhere: `${env:NAME}` is a variable of the environment, `${file:path}` a file. */
import { readFile } from 'node:fs/promises';
import { errorCode } from '../errors/error-code.js';

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

/** The message says where the secret was expected. It never contains a secret. */
export class SecretMissing extends Error {
  override readonly name = 'SecretMissing';
}

/** The names of the variables that references can use. */
export function definedVariables(
  environment: Record<string, string | undefined> = process.env,
): string[] {
  return Object.keys(environment).filter((name) => environment[name]);
}

/** False only for a reference to a variable that this process does not have. */
export function isVariableDefined(
  reference: string | undefined,
  environment: Record<string, string | undefined> = process.env,
): boolean {
  const parsed = reference === undefined ? undefined : parseSecretReference(reference);
  return parsed?.kind !== 'env' || Boolean(environment[parsed.target]);
}

/** Reads the secret on each call, so that it can be rotated while the service runs. */
export async function readSecret(
  reference: string,
  environment: Record<string, string | undefined> = process.env,
): Promise<string> {
  const parsed = parseSecretReference(reference);
  if (parsed === undefined) {
    throw new SecretMissing('A secret must be named as ${env:NAME} or ${file:path}.');
  }
  const { kind, target } = parsed;
  const secret = kind === 'file' ? await readSecretFile(target) : environment[target];
  if (secret === undefined || secret === '') {
    throw new SecretMissing(
      kind === 'file' ? `The file ${target} is empty.` : `The variable ${target} is not set.`,
    );
  }
  return secret;
}

async function readSecretFile(path: string): Promise<string> {
  try {
    // Editors and `echo` append a line break that is not part of the secret.
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new SecretMissing(`The file ${path} cannot be read (${errorCode(error) ?? 'unknown'}).`);
  }
}

/** Throws SecretMissing, which names the missing secret. */
export async function readHeaders(
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const entries = Object.entries(headers).map(
    async ([name, reference]) => [name, await readSecret(reference)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Headers that are not secret, although manifests refer to the values of all headers like secrets. */
const publicHeaders = /^(?:accept(?:-.*)?|content-type|origin|referer|user-agent|.*-version)$/i;

/** The header values to redact if a server repeats them. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    publicHeaders.test(name) ? [] : [value],
  );
}

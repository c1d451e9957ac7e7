/** Reads the secrets that configuration only names: `${env:NAME}` from the environment, `${file:path}` from a file. */
import { readFile } from 'node:fs/promises';
import { errorCode } from './error-code.js';

/** The message names the place where the secret should be, never the secret. */
export class SecretMissing extends Error {
  override readonly name = 'SecretMissing';
}

/** Read anew at each call, so that a secret can be exchanged while the service runs. */
export async function readSecret(
  reference: string,
  environment: Record<string, string | undefined> = process.env,
): Promise<string> {
  const [, kind, place = ''] = /^\$\{(env|file):([^}]+)\}$/.exec(reference) ?? [];
  const secret = kind === 'file' ? await readSecretFile(place) : environment[place];
  if (kind === undefined) {
    throw new SecretMissing('A secret must be named as ${env:NAME} or ${file:path}.');
  }
  if (secret === undefined || secret === '') {
    throw new SecretMissing(
      kind === 'file' ? `The file ${place} is empty.` : `The variable ${place} is not set.`,
    );
  }
  return secret;
}

async function readSecretFile(path: string): Promise<string> {
  try {
    // Editors and `echo` end a file with a line break that is no part of the secret.
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (error) {
    throw new SecretMissing(`The file ${path} cannot be read (${errorCode(error) ?? 'unknown'}).`);
  }
}

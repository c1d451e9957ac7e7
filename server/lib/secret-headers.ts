/** Reads the secrets that the headers of a manifest refer to. */
import { readSecret } from './secret-reference.js';

/** Throws SecretMissing, which names the one that is not there. */
export async function readHeaders(
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const entries = Object.entries(headers).map(
    async ([name, reference]) => [name, await readSecret(reference)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

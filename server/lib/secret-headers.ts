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

/** Headers that say what is sent or wanted: manifests refer to their values as to secrets, but they are none. */
const publicHeaders = /^(?:accept(?:-.*)?|content-type|origin|referer|user-agent|.*-version)$/i;

/** What must not be shown if a server repeats it. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    publicHeaders.test(name) ? [] : [value],
  );
}

/** The headers of a tool's requests: secrets of the installation, and what the run brings. */
import type { ToolHeaders } from '../../../generated/manifest.js';
import { readSecret, secretsIn } from '../../lib/text/secret-reference.js';
import { callerToken, parseReference, valueOf } from './references.js';
import type { ReferenceValues } from './tool.js';

interface ReadHeaders {
  values: Record<string, string>;
  /** What to redact from whatever the tool returns or says. */
  secrets: readonly string[];
}

/** Throws SecretMissing, which names the missing secret. */
export async function readToolHeaders(
  headers: ToolHeaders = {},
  references: ReferenceValues,
): Promise<ReadHeaders> {
  const read = await Promise.all(
    Object.entries(headers).map(async ([name, setting]) => {
      const reference = parseReference(setting);
      const value =
        reference === undefined ? await readSecret(setting) : String(valueOf(setting, references));
      return { name, value, isSecret: isSecret(name, reference) };
    }),
  );
  const valuesOf = (some: typeof read) =>
    Object.fromEntries(some.map(({ name, value }) => [name, value]));
  const token = references[callerToken];
  return {
    values: valuesOf(read),
    secrets: [
      ...secretsIn(valuesOf(read.filter((header) => header.isSecret))),
      // Also of a tool that does not get it: another one may have passed it on.
      ...(typeof token === 'string' ? [token] : []),
    ],
  };
}

/** Without what only a run brings: to list the tools of a server while no run needs them. */
export function withoutReferences(headers: ToolHeaders = {}): ToolHeaders {
  const kept = Object.entries(headers).filter(
    ([, setting]) => parseReference(setting) === undefined,
  );
  return Object.fromEntries(kept);
}

/** A customer's number, which the model may need to see in results, is one only as the value of a header for credentials. */
function isSecret(header: string, reference: string | undefined): boolean {
  return reference === undefined || credentialHeader.test(header);
}

const credentialHeader = /auth|cookie|credential|key|passw|secret|token/i;

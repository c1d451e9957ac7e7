/** Reads the secret and the file that an agent's security settings refer to. */
import { readSecret } from '../models/secret-reference.js';
import { readCertificateText } from './certificate-file.js';
import type { PolicySettings } from './policy.js';

/** A text, or the error with which reading it failed. */
export type Source = PromiseSettledResult<string>;

/** Undefined where the settings need none. */
export interface PolicySources {
  tokenSecret: Source | undefined;
  clientAuthority: Source | undefined;
}

export async function readSources({ auth, security }: PolicySettings): Promise<PolicySources> {
  const mtls = security?.mtls;
  return {
    tokenSecret: auth?.type === 'jwt' ? await settled(readSecret(auth.secret)) : undefined,
    clientAuthority: mtls?.enabled ? await settled(readCertificateText(mtls.caCert)) : undefined,
  };
}

async function settled(reading: Promise<string>): Promise<Source> {
  const [source] = await Promise.allSettled([reading]);
  return source;
}

/** Throws the error with which reading failed. */
export function textOf(source: Source): string {
  if (source.status === 'rejected') throw source.reason;
  return source.value;
}

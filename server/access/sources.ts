/** Reads the secrets, certificates and keys that an agent's security settings refer to. */
import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readCertificates } from '../lib/crypto/pem.js';
import { errorCode } from '../lib/errors/error-code.js';
import { readSecret } from '../lib/text/secret-reference.js';
import type { PolicySettings } from './policy.js';
import { SettingProblem } from './setting-problem.js';

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
    clientAuthority: mtls?.enabled ? await settled(readText(mtls.caCert)) : undefined,
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

type Certificates = [X509Certificate, ...X509Certificate[]];

export async function readCertificateFile(file: string): Promise<Certificates> {
  return parseCertificates(file, await readText(file));
}

export function parseCertificates(file: string, text: string): Certificates {
  const [first, ...others] = parse(readCertificates, text) ?? [];
  if (!first) throw new SettingProblem(`must name certificates in PEM; ${file} holds none`);
  return [first, ...others];
}

export async function readKeyFile(file: string): Promise<KeyObject> {
  const key = parse(createPrivateKey, await readText(file));
  if (!key) throw new SettingProblem(`must name a private key in PEM; ${file} holds none`);
  return key;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new SettingProblem(`cannot be read: ${file} (${errorCode(error) ?? 'unknown'})`);
  }
}

function parse<Parsed>(read: (text: string) => Parsed, text: string): Parsed | undefined {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}

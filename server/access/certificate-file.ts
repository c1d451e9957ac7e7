/** Reads the certificate and key files that a manifest names. */
import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { errorCode } from '../lib/errors/error-code.js';
import { readCertificates } from '../lib/crypto/pem.js';
import { SettingProblem } from './setting-problem.js';

type Certificates = [X509Certificate, ...X509Certificate[]];

export async function readCertificateFile(file: string): Promise<Certificates> {
  return parseCertificates(file, await readCertificateText(file));
}

export function parseCertificates(file: string, text: string): Certificates {
  const [first, ...others] = parse(readCertificates, text) ?? [];
  if (!first) throw new SettingProblem(`must name certificates in PEM; ${file} holds none`);
  return [first, ...others];
}

export async function readKeyFile(file: string): Promise<KeyObject> {
  const key = parse(createPrivateKey, await readCertificateText(file));
  if (!key) throw new SettingProblem(`must name a private key in PEM; ${file} holds none`);
  return key;
}

export async function readCertificateText(file: string): Promise<string> {
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

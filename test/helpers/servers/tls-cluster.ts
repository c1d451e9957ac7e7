/** A PostgreSQL with a certificate of a private authority that rejects unencrypted connections. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startScratchCluster } from '../../../scripts/db/scratch.js';
import { type Certificate, createAuthority } from '../crypto/certificates.js';
import { query } from '../database/database.js';
import { temporaryFolder } from '../programs/workspace.js';

export interface TlsCluster {
  /** The URL of its empty database, with the parameters. Its certificate is for `localhost`, not for 127.0.0.1. */
  url: (parameters?: Record<string, string>, options?: UrlOptions) => string;
  /** Paths of PEM files. */
  files: Record<'authority' | 'otherAuthority' | 'clientCert' | 'clientKey', string>;
  /** Runs a statement as superuser. */
  administer: (statement: string) => Promise<Record<string, unknown>[]>;
  port: string;
  stop: () => Promise<void>;
}

export interface UrlOptions {
  host?: 'localhost' | '127.0.0.1';
  /** `certified` logs in with a certificate instead of a password. */
  user?: 'agent_hosting' | 'certified';
}

/** The superuser, used for setup and checks, connects without encryption. */
const accessRules = [
  'host all postgres 127.0.0.1/32 scram-sha-256',
  'hostssl all certified 127.0.0.1/32 cert',
  'hostssl all all 127.0.0.1/32 scram-sha-256',
].join('\n');

export async function startTlsCluster(): Promise<TlsCluster> {
  const authority = createAuthority('Private authority');
  const server = authority.issue({ name: 'localhost', hosts: ['localhost'] });
  const files = await writeClientFiles({
    authority: authority.cert,
    otherAuthority: createAuthority('Other authority').cert,
    client: authority.issue({ name: 'certified', isAuthority: false }),
  });
  const cluster = await startScratchCluster();
  const administer = (statement: string) =>
    query<Record<string, unknown>>(cluster.adminUrl, statement);
  const { username, password, port } = new URL(cluster.url);
  try {
    await writeServerFile(administer, 'server.crt', server.cert);
    await writeServerFile(administer, 'server.key', server.key);
    await writeServerFile(administer, 'root.crt', authority.cert);
    await writeServerFile(administer, 'pg_hba.conf', accessRules);
    await administer('CREATE ROLE certified LOGIN SUPERUSER');
    await administer("ALTER SYSTEM SET ssl_ca_file = 'root.crt'");
    await administer('ALTER SYSTEM SET ssl = on');
    await administer('SELECT pg_reload_conf()');
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    url: (parameters = {}, { host = 'localhost', user = 'agent_hosting' } = {}) => {
      const login = user === username ? `${username}:${password}` : user;
      const search = new URLSearchParams(parameters).toString();
      return `postgresql://${login}@${host}:${port}/${username}?${search}`;
    },
    files,
    administer,
    port,
    stop: () => cluster.stop(),
  };
}

interface ClientFiles {
  authority: string;
  otherAuthority: string;
  client: Certificate;
}

async function writeClientFiles(texts: ClientFiles): Promise<TlsCluster['files']> {
  const folder = await temporaryFolder();
  const write = async (name: string, text: string) => {
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  return {
    authority: await write('ca.pem', texts.authority),
    otherAuthority: await write('other-ca.pem', texts.otherAuthority),
    clientCert: await write('client.crt', texts.client.cert),
    clientKey: await write('client.key', texts.client.key),
  };
}

/** PostgreSQL writes the file itself, because it owns the directory. */
async function writeServerFile(
  administer: TlsCluster['administer'],
  name: string,
  text: string,
): Promise<void> {
  const lines = text.trim().replaceAll('\n', "'), ('");
  await administer(
    `COPY (VALUES ('${lines}')) TO PROGRAM 'umask 077 && cat > ${name}.new && mv ${name}.new ${name}'`,
  );
}

/** Explains to the operator why the database cannot be opened and how to fix it, without showing the password. */
import { parseDatabaseUrl } from '../lib/net/database-url.js';
import { errorCode, hasCode, messageOf } from '../lib/errors/error-code.js';

export class DatabaseProblem extends Error {
  override name = 'DatabaseProblem';
}

/** The database may accept connections later, for example while its server starts. */
export class DatabaseNotReady extends DatabaseProblem {
  override name = 'DatabaseNotReady';
}

/** `variable` is the environment variable that holds the URL, such as DATABASE_URL. */
export function explainConnectionFailure(
  url: string,
  variable: string,
  cause: unknown,
): DatabaseProblem {
  const { target, user, database } = describe(url);
  const Problem = isNotReady(cause) ? DatabaseNotReady : DatabaseProblem;
  return new Problem(
    `Cannot open the database at ${target}: ${reason(cause)}. ${advice(cause, { variable, user, database })}`,
    { cause },
  );
}

/** PostgreSQL is starting, stopping or recovering (57P03), does not listen yet, or its host has no name or route yet. */
const notReadyCodes = [
  '57P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
/** The messages of pg, which have no code, for a connection that timed out, was closed at once, or does not answer. */
const notReadyMessage = /^(timeout expired|Connection terminated|Query read timeout)/;

function isNotReady(cause: unknown): boolean {
  return hasCode(cause, ...notReadyCodes) || notReadyMessage.test(messageOf(cause));
}

interface Target {
  target: string;
  user: string;
  database: string;
}

function describe(text: string): Target {
  const { host = '', port = '', user = '', database = '' } = parseDatabaseUrl(text) ?? {};
  return { target: `${host === '' ? 'localhost' : host}:${port}/${database}`, user, database };
}

function reason(cause: unknown): string {
  switch (errorCode(cause) ?? '') {
    case 'ECONNREFUSED':
      return 'nothing listens there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is not known';
    default:
      return messageOf(cause);
  }
}

function advice(
  cause: unknown,
  { variable, user, database }: { variable: string; user: string; database: string },
): string {
  const tls = tlsAdvice(cause, variable);
  if (tls !== undefined) return tls;
  switch (errorCode(cause) ?? '') {
    case '28P01':
    case '28000':
      return `Check the user and the password in ${variable}.`;
    case '3D000':
      return `Create it (createdb -O ${user} ${database}), or correct the name in ${variable}.`;
    case '42501':
      return `An administrator must run: GRANT CONNECT ON DATABASE ${database} TO ${user};`;
    case '08P01':
      // PgBouncer rejects startup parameters that only PostgreSQL itself supports.
      return messageOf(cause).includes('startup parameter')
        ? poolerAdvice(variable)
        : `Check ${variable}.`;
    case '53300':
      return 'Lower DATABASE_POOL_SIZE, or raise max_connections of the server.';
    default:
      return `Check ${variable}, and that the server runs and accepts connections from here.`;
  }
}

/** OpenSSL's error codes. */
const unknownAuthority = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
];

/** Undefined if the failure has nothing to do with TLS. */
function tlsAdvice(cause: unknown, variable: string): string | undefined {
  const code = errorCode(cause) ?? '';
  const message = messageOf(cause);
  if (unknownAuthority.includes(code)) {
    return `Set sslrootcert in ${variable} to the file of the authority that issued the server's certificate.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `Use a host name of the certificate in ${variable}, or sslmode=verify-ca, which does not compare names.`;
  }
  if (message.includes('does not support SSL')) {
    return `Switch on ssl at the server, or set sslmode=disable in ${variable} for connections that are not encrypted.`;
  }
  if (code !== '28000') return undefined;
  if (message.includes('certificate')) {
    return `Set sslcert and sslkey in ${variable} to a certificate for this user, and the file of its key.`;
  }
  return message.includes('no encryption')
    ? `The server may only accept encrypted connections: set sslmode=verify-full, or require, in ${variable}.`
    : undefined;
}

/** For a URL, in `variable`, that leads to a pooler although a session of PostgreSQL itself is needed. */
export function poolerAdvice(variable: string): string {
  const found = `${variable} leads to a connection pooler, such as PgBouncer, but migrations and notifications need PostgreSQL itself.`;
  return variable === 'DIRECT_DATABASE_URL'
    ? `${found} Set it to the URL of PostgreSQL.`
    : `${found} Set DIRECT_DATABASE_URL to the URL of PostgreSQL, and leave ${variable} as it is.`;
}

/** Explains to the operator why the database cannot be opened and how to fix it, without showing the password. */
import { errorCode, hasCode, messageOf } from '../../lib/error-code.js';

export class DatabaseProblem extends Error {
  override name = 'DatabaseProblem';
}

/** The database may accept connections later, as while its server starts. */
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

/** PostgreSQL starts up, shuts down or recovers (57P03), nothing listens yet, or its host has no name or route yet. */
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
/** What pg says, without a code, of a connection that was not established in time or was closed at once. */
const notReadyMessage = /^(timeout expired|Connection terminated)/;

function isNotReady(cause: unknown): boolean {
  return hasCode(cause, ...notReadyCodes) || notReadyMessage.test(messageOf(cause));
}

interface Target {
  target: string;
  user: string;
  database: string;
}

function describe(text: string): Target {
  const url = new URL(text);
  const database = decodeURIComponent(url.pathname.slice(1));
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  return {
    target: `${host}:${url.port === '' ? '5432' : url.port}/${database}`,
    user: decodeURIComponent(url.username),
    database,
  };
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
  switch (errorCode(cause) ?? '') {
    case '28P01':
    case '28000':
      return `Check the user and the password in ${variable}.`;
    case '3D000':
      return `Create it (createdb -O ${user} ${database}), or correct the name in ${variable}.`;
    case '42501':
      return `An administrator must run: GRANT CONNECT ON DATABASE ${database} TO ${user};`;
    case '08P01':
      // What PgBouncer says of settings that only PostgreSQL itself knows.
      return messageOf(cause).includes('startup parameter')
        ? poolerAdvice(variable)
        : `Check ${variable}.`;
    case '53300':
      return 'Lower DATABASE_POOL_SIZE, or raise max_connections of the server.';
    default:
      return `Check ${variable}, and that the server runs and accepts connections from here.`;
  }
}

/** A pooler is where a session of PostgreSQL itself is needed. `variable` holds its URL. */
export function poolerAdvice(variable: string): string {
  const found = `${variable} leads to a connection pooler, such as PgBouncer, but migrations and notifications need PostgreSQL itself.`;
  return variable === 'DIRECT_DATABASE_URL'
    ? `${found} Set it to the URL of PostgreSQL.`
    : `${found} Set DIRECT_DATABASE_URL to the URL of PostgreSQL, and leave ${variable} as it is.`;
}

/** Distinguishes failures of the database from all others, whether pg, Node or Prisma reports them. */
import { types } from 'node:util';
import { errorCode, hasCode, messageOf } from '../lib/errors/error-code.js';
import { faultOf } from './sqlstates.js';

/** Thrown by the statements of `*.sql.ts`. Prisma throws its own errors, which `isStoreUnavailable` also recognises. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Codes that Prisma reports without a driver error. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028']);

/** The kinds to which Prisma's adapter maps socket errors, whose codes it drops. */
const ADAPTER_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
]);

// pg reports these without a code.
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|received invalid response)/;

/** Whether the database caused the failure, so that the request can be repeated. */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!types.isNativeError(error)) return false;
  const { code = '', kind = '', message } = driverError(error);
  const fault = faultOf(code);
  if (fault) return fault === 'database';
  return (
    SOCKET_CODES.has(code) ||
    PRISMA_CODES.has(code) ||
    ADAPTER_KINDS.has(kind) ||
    PG_MESSAGES.test(message)
  );
}

/** Whether the transaction conflicted with others, as in a deadlock, so that it can be repeated at once. */
export function isConflict(error: unknown): boolean {
  return driverError(error).code?.startsWith('40') ?? false;
}

/** Whether a lock was not available within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return driverError(error).code === '55P03';
}

/** Whether a foreign key refers to a row that no longer exists. */
export function isReferenceMissing(error: unknown): boolean {
  return hasCode(error, 'P2003');
}

interface DriverError {
  /** A code of PostgreSQL, Node or Prisma. */
  code: string | undefined;
  /** How Prisma's adapter classified it. */
  kind?: string | undefined;
  message: string;
}

/** Unwraps the error of pg from the errors of this folder and of Prisma. */
export function driverError(error: unknown): DriverError {
  if (error instanceof StoreUnavailable && error.cause !== undefined) {
    return driverError(error.cause);
  }
  // Prisma wraps the errors of statements, but passes on the adapter's errors for BEGIN and COMMIT.
  const adapterError =
    text(error, 'name') === 'DriverAdapterError'
      ? error
      : property(property(error, 'meta'), 'driverAdapterError');
  const cause = property(adapterError, 'cause');
  const kind = text(cause, 'kind');
  return {
    code: text(cause, 'originalCode') ?? errorCode(error),
    kind,
    message: text(cause, 'originalMessage') ?? kind ?? messageOf(error),
  };
}

function text(value: unknown, name: string): string | undefined {
  const found = property(value, name);
  return typeof found === 'string' ? found : undefined;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}

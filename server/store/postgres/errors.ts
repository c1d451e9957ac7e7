/** Distinguishes faults of the database from every other failure, whether pg, Node or Prisma reports them. */
import { types } from 'node:util';
import { errorCode, hasCode, messageOf } from '../../lib/errors/error-code.js';
import { faultOf } from './sqlstates.js';

/** Thrown by the statements of `sql/`. Prisma throws its own errors, which `isStoreUnavailable` also recognises. */
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

/** Those that Prisma reports without an error of the driver. */
const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028']);

/** What Prisma's adapter makes of errors of sockets, whose codes it drops. */
const ADAPTER_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
]);

// pg reports these without a code.
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|received invalid response)/;

/** Whether the request failed through no fault of its own, and may be repeated. */
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

/** Whether other transactions were in the way, as in a deadlock, so that it may succeed at once. */
export function isConflict(error: unknown): boolean {
  return driverError(error).code?.startsWith('40') ?? false;
}

/** Whether a lock was not to be had within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return driverError(error).code === '55P03';
}

/** Whether a foreign key refers to a row that no longer exists. */
export function isReferenceMissing(error: unknown): boolean {
  return hasCode(error, 'P2003');
}

export interface DriverError {
  /** Of PostgreSQL, Node or Prisma. */
  code: string | undefined;
  /** How Prisma's adapter classified it. */
  kind?: string | undefined;
  message: string;
}

/** What pg said, without the layers that this store and Prisma put around it. */
export function driverError(error: unknown): DriverError {
  if (error instanceof StoreUnavailable && error.cause !== undefined) {
    return driverError(error.cause);
  }
  // Prisma wraps errors of statements, but passes on those of BEGIN and COMMIT as its adapter throws them.
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

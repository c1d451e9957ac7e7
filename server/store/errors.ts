/** Distinguishes "the database is unavailable" from every other failure, whether pg, Node or Prisma reports it. */
import { types } from 'node:util';
import { errorCode } from '../lib/error-code.js';

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

const PRISMA_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);

// Connection exceptions; too many connections; cancelled by the statement timeout; shut down, crashed, starting up;
// read-only after a failover.
const SQLSTATES = /^(08...|53300|57014|57P0[1-5]|25006)$/;

// pg reports these without a code.
const PG_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!types.isNativeError(error)) return false;
  const code = sqlstateBehind(error) ?? errorCode(error) ?? '';
  return (
    SOCKET_CODES.has(code) ||
    PRISMA_CODES.has(code) ||
    SQLSTATES.test(code) ||
    PG_MESSAGES.test(error.message)
  );
}

/** Whether a foreign key refers to a row that no longer exists. */
export function isReferenceMissing(error: unknown): boolean {
  return errorCode(error) === 'P2003';
}

// Where Prisma has no code of its own for a PostgreSQL error, the SQLSTATE is only in the metadata.
function sqlstateBehind(error: Error): string | undefined {
  const cause = property(property(property(error, 'meta'), 'driverAdapterError'), 'cause');
  const code = property(cause, 'originalCode');
  return typeof code === 'string' ? code : undefined;
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}

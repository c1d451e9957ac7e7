/**
 * Finds what an idempotency record says, with its response unless that is long.
 * Why SQL: a long response is measured where it is, and Prisma would read it to know its length.
 */
import type { Queryable, Statement } from '../connection.js';

/** A longer response is read only when there is room for it. */
const shortBytes = 65_536;

const find: Statement = {
  name: 'idempotency-find',
  text: `
    SELECT request_hash AS "requestHash", owner, is_stream AS "isStream", response_status AS "responseStatus",
           octet_length(sealed_response) AS "sealedBytes",
           CASE WHEN octet_length(sealed_response) <= ${shortBytes} THEN sealed_response END AS "sealedResponse"
      FROM idempotency_records WHERE id = $1`,
};

export interface FoundRecord {
  requestHash: Buffer;
  owner: string;
  isStream: boolean;
  responseStatus: number | null;
  sealedBytes: number | null;
  /** Null also if it is long. */
  sealedResponse: Buffer | null;
}

export async function findRecord(
  database: Queryable,
  id: Uint8Array,
): Promise<FoundRecord | undefined> {
  const [found] = await database.run<FoundRecord & object>(find, [id]);
  return found;
}

/**
 * Finds what an idempotency record says, with its response unless that is long, and reads a long one.
 * Why SQL: a long response is measured where it is, and copied less often than by Prisma when it is read.
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

/** In so many pieces that none occupies the event loop for long. */
const pieceBytes = 500_000;

// $3 where the piece begins, from 1 on.
const readPiece: Statement = {
  name: 'idempotency-read',
  text: `
    SELECT response_status AS "responseStatus", octet_length(sealed_response) AS bytes,
           substring(sealed_response FROM $3::int FOR ${pieceBytes}) AS piece
      FROM idempotency_records
     WHERE id = $1 AND owner = $2 AND state = 'completed' AND response_status IS NOT NULL AND sealed_response IS NOT NULL`,
};

interface Piece {
  responseStatus: number;
  bytes: number;
  piece: Buffer;
}

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

/** The response of the request that had the record; undefined if there is none, or none any more. */
export async function readResponse(
  database: Queryable,
  { id, owner }: { id: Uint8Array; owner: string },
): Promise<{ responseStatus: number; sealedResponse: Buffer } | undefined> {
  const pieces: Buffer[] = [];
  let first: Piece | undefined;
  for (let start = 1; first === undefined || start <= first.bytes; start += pieceBytes) {
    const [next] = await database.run<Piece & object>(readPiece, [id, owner, start]);
    // It was replaced in the meantime, as when its user is erased.
    if (next && first && next.bytes !== first.bytes) return readResponse(database, { id, owner });
    if (!next) return undefined;
    first ??= next;
    pieces.push(next.piece);
  }
  return { responseStatus: first.responseStatus, sealedResponse: Buffer.concat(pieces) };
}

/**
 * Reads the events of a stream, as many as are short together.
 * Why SQL: long ones are measured where they are, and copied less often than by Prisma when they are read.
 */
import type { Queryable, Statement } from '../connection.js';

/** A stream is named by the id of its request, and known to whoever knows the key of that request. */
export interface StreamName {
  idempotencyId: Uint8Array<ArrayBuffer>;
  streamId: string;
}

export interface FoundRow {
  position: number;
  event: string;
  /** Null if it is long. */
  sealedData: Buffer | null;
  bytes: number;
}

/** How many events are read at a time. */
export const streamPageSize = 100;
const shortBytes = 65_536;

// $1 and $2 the stream, $3 the position after which they come. The first of them is returned in any case.
const read: Statement = {
  name: 'streams-read',
  text: `
    SELECT position, event, bytes, CASE WHEN bytes <= ${shortBytes} THEN sealed_data END AS "sealedData"
      FROM (SELECT position, event, sealed_data, octet_length(sealed_data) AS bytes,
                   sum(octet_length(sealed_data)) OVER (ORDER BY position) AS total
              FROM (SELECT * FROM stream_events
                     WHERE idempotency_id = $1 AND stream_id = $2 AND position > $3
                     ORDER BY position LIMIT ${streamPageSize}) AS page) AS measured
     WHERE total <= ${shortBytes} OR total = bytes
     ORDER BY position`,
};

const readOne: Statement = {
  name: 'streams-read-one',
  text: `
    SELECT sealed_data AS "sealedData" FROM stream_events
     WHERE idempotency_id = $1 AND stream_id = $2 AND position = $3`,
};

/** The sealed data of one event; undefined if it is no longer there. */
export async function readEventData(
  database: Queryable,
  { idempotencyId, streamId }: StreamName,
  position: number,
): Promise<Buffer | undefined> {
  const [found] = await database.run<{ sealedData: Buffer }>(readOne, [
    idempotencyId,
    streamId,
    position,
  ]);
  return found?.sealedData;
}

export function readEvents(
  database: Queryable,
  { idempotencyId, streamId }: StreamName,
  after: number,
): Promise<FoundRow[]> {
  return database.run<FoundRow & object>(read, [idempotencyId, streamId, after]);
}

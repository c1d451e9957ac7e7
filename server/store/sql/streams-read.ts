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

export interface FoundEvent {
  position: number;
  event: string;
  /** As JSON. Null if it is long. */
  data: string | null;
  bytes: number;
}

/** How many events are read at a time. */
export const streamPageSize = 100;
const shortBytes = 65_536;

// $1 and $2 the stream, $3 the position after which they come. The first of them is returned in any case.
const read: Statement = {
  name: 'streams-read',
  text: `
    SELECT position, event, bytes, CASE WHEN bytes <= ${shortBytes} THEN data END AS data
      FROM (SELECT position, event, data, octet_length(data) AS bytes,
                   sum(octet_length(data)) OVER (ORDER BY position) AS total
              FROM (SELECT * FROM stream_events
                     WHERE idempotency_id = $1 AND stream_id = $2 AND position > $3
                     ORDER BY position LIMIT ${streamPageSize}) AS page) AS measured
     WHERE total <= ${shortBytes} OR total = bytes
     ORDER BY position`,
};

const readOne: Statement = {
  name: 'streams-read-one',
  text: `SELECT data FROM stream_events WHERE idempotency_id = $1 AND stream_id = $2 AND position = $3`,
};

/** The data of one event; undefined if it is there no more. */
export async function readEventData(
  database: Queryable,
  { idempotencyId, streamId }: StreamName,
  position: number,
): Promise<string | undefined> {
  const [found] = await database.run<{ data: string }>(readOne, [
    idempotencyId,
    streamId,
    position,
  ]);
  return found?.data;
}

export function readEvents(
  database: Queryable,
  { idempotencyId, streamId }: StreamName,
  after: number,
): Promise<FoundEvent[]> {
  return database.run<FoundEvent & object>(read, [idempotencyId, streamId, after]);
}

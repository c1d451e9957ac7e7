/**
 * Reads the next events of a stream.
 * Why SQL: the total size of the events limits a page, and Prisma cannot compute running totals.
 */
import type { Queryable, Statement } from '../../postgres/connection.js';

/** The stream id is the id of the request. Only callers that know the request's idempotency key can read the stream. */
export interface StreamName {
  accountId: string;
  idempotencyId: Uint8Array<ArrayBuffer>;
  streamId: string;
}

export interface FoundRow {
  position: number;
  event: string;
  sealedData: Buffer;
}

/** The maximum number of events in a page, and their maximum total size. The first event is always returned. */
const streamPageSize = 100;
const pageBytes = 65_536;

// $1 to $3 the stream, $4 the position after which to read.
const read: Statement = {
  name: 'streams-read',
  text: `
    SELECT position, event, sealed_data AS "sealedData"
      FROM (SELECT position, event, sealed_data,
                   row_number() OVER by_position AS place, sum(octet_length(sealed_data)) OVER by_position AS total
              FROM (SELECT * FROM stream_events
                     WHERE account_id = $1 AND idempotency_id = $2 AND stream_id = $3 AND position > $4
                     ORDER BY position LIMIT ${streamPageSize}) AS page
            WINDOW by_position AS (ORDER BY position)) AS measured
     WHERE place = 1 OR total <= ${pageBytes}
     ORDER BY position`,
};

export function readStreamPage(
  database: Queryable,
  { accountId, idempotencyId, streamId }: StreamName,
  after: number,
): Promise<FoundRow[]> {
  return database.run<FoundRow & object>(read, [accountId, idempotencyId, streamId, after]);
}

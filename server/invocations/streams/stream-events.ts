/**
 * The events of resumable streams, kept for as long as the idempotency records of their requests. They are encrypted like stored
 * responses, since together they contain the answer.
 */
import type { CountStored } from '../../accounts/stored-bytes.js';
import { dropResponses } from '../../idempotency/sealed-response.js';
import type { Secrets } from '../../installation/key-ring.js';
import { sealContexts } from '../../installation/seal-contexts.js';
import { FairQueue } from '../../lib/async/fair-queue.js';
import { groupBy } from '../../lib/data/group-by.js';
import { lowestIdAt } from '../../lib/data/typeid.js';
import type { Connection, Statement, Transaction } from '../../postgres/connection.js';
import type { Database } from '../../postgres/database.js';

/** The stream id is the id of the request. Only callers that know the request's idempotency key can read the stream. */
export interface StreamName {
  accountId: string;
  idempotencyId: Uint8Array<ArrayBuffer>;
  streamId: string;
}

interface FoundRow {
  position: number;
  event: string;
  sealedData: Buffer;
}

/** The maximum number of events in a page, and their maximum total size. The first event is always returned. */
const streamPageSize = 100;
const pageBytes = 65_536;

// Why SQL: the total size of the events limits a page, and Prisma cannot compute running totals.
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

export interface StoredEvent {
  position: number;
  event: string;
  /** As JSON. */
  data: string;
}

export interface NewStream extends StreamName {
  agentId: string;
  /** The latest time at which it is dropped. Null: it is kept like other streams. */
  dropAt: Date | null;
}

/** Events that are stored together. Storing them again, after a lost answer, changes nothing. */
interface StreamBatch extends NewStream {
  events: StoredEvent[];
}

export interface StreamEvents {
  append: (batch: StreamBatch) => Promise<unknown>;
  /** Reads the next page of events after the position. */
  read: (stream: StreamName, after: number) => Promise<StoredEvent[]>;
  /** Whether there is an event at the position that does not end the stream. */
  has: (stream: StreamName, position: number) => Promise<boolean>;
  /** Sets the time at which the stream is dropped. */
  dropAt: (stream: StreamName, time: Date) => Promise<unknown>;
  remove: (stream: StreamName) => Promise<unknown>;
}

/** Pages that are read at a time, so that an account that follows many long streams does not delay others. */
const concurrentReads = 4;

/** What a row takes besides its data, with its index entries. */
const rowBytes = 300;

export function createStreamEvents(
  database: Database,
  secrets: Secrets,
  countStored: CountStored = () => undefined,
): StreamEvents {
  const { streamEvent } = database.prisma;
  const reads = new FairQueue(concurrentReads);
  const open = (streamId: string, position: number, sealed: Buffer) =>
    secrets.open(sealed, sealContexts.streamEvent({ streamId, position })).toString();
  const append = async ({ events, ...stream }: StreamBatch) => {
    const data = events.map(({ position, event, data: text }) => ({
      ...stream,
      position,
      event,
      sealedData: secrets.seal(text, sealContexts.streamEvent({ ...stream, position })),
    }));
    await streamEvent.createMany({ data, skipDuplicates: true });
    const bytes = data.reduce((sum, { sealedData }) => sum + rowBytes + sealedData.length, 0);
    countStored(stream.accountId, bytes);
  };
  const whereStream = ({ accountId, idempotencyId, streamId }: StreamName) => ({
    accountId,
    idempotencyId,
    streamId,
  });
  return {
    append,
    read: async (stream, after) => {
      const { accountId, idempotencyId, streamId } = stream;
      const values = [accountId, idempotencyId, streamId, after];
      const rows = await reads.run(accountId, () => database.run<FoundRow & object>(read, values));
      return rows.map(({ sealedData, ...row }) => ({
        ...row,
        data: open(streamId, row.position, sealedData),
      }));
    },
    has: async (stream, position) =>
      (await streamEvent.count({
        where: { ...whereStream(stream), position, event: { not: 'error' } },
      })) > 0,
    dropAt: (stream, time) =>
      streamEvent.updateMany({ where: whereStream(stream), data: { dropAt: time } }),
    remove: (stream) => streamEvent.deleteMany({ where: whereStream(stream) }),
  };
}

/** Deletes up to `batch` events of streams that began before the given time. Returns the number deleted. */
export async function pruneStreamEvents(
  { prisma }: Connection,
  before: Date,
  batch: number,
): Promise<number> {
  const where = { streamId: { lt: lowestIdAt('req', before) } };
  const { count } = await prisma.streamEvent.deleteMany({ where, limit: batch });
  return count;
}

/** Drops up to `batch` streams whose `dropAt` has passed, with their responses. Returns the number dropped. */
export async function dropStreams(
  transaction: Transaction,
  now: Date,
  batch: number,
): Promise<number> {
  const { streamEvent } = transaction.prisma;
  const due = await streamEvent.findMany({
    where: { dropAt: { lte: now }, position: 1 },
    select: { accountId: true, idempotencyId: true, streamId: true },
    // The first to be dropped, so that the index of these times is read, and no other events.
    orderBy: { dropAt: 'asc' },
    take: batch,
  });
  for (const [accountId, streams] of groupBy(due, (stream) => stream.accountId)) {
    const requests = streams.map(({ idempotencyId: id, streamId: owner }) => ({ id, owner }));
    await dropResponses(transaction, accountId, requests);
    const streamIds = streams.map(({ streamId }) => streamId);
    await streamEvent.deleteMany({ where: { accountId, streamId: { in: streamIds } } });
  }
  return due.length;
}

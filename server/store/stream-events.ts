/** The events of streams that can be resumed, kept for as long as the idempotency records of their requests. */
import { batched } from './batched.js';
import type { Connection } from './connection.js';
import type { Database } from './database.js';
import { lowestIdAt } from '../lib/typeid.js';
import { type FoundEvent, readEventData, readEvents, type StreamName } from './sql/streams-read.js';

export type { FoundEvent, StreamName };

export interface StoredEvent {
  position: number;
  event: string;
  /** As JSON. */
  data: string;
}

/** What is stored together. To store it again, after an answer that was lost, changes nothing. */
export interface StreamBatch extends StreamName {
  agentId: string;
  events: StoredEvent[];
}

export interface StreamEvents {
  append: (batch: StreamBatch) => Promise<unknown>;
  /** The next ones after that position, of which there may be more. A long one is still to be read. */
  read: (stream: StreamName, after: number) => Promise<FoundEvent[]>;
  /** The data of one event; undefined if it is there no more. */
  readData: (stream: StreamName, position: number) => Promise<string | undefined>;
  /** Whether there is an event at that position, with others after it. */
  has: (stream: StreamName, position: number) => Promise<boolean>;
  remove: (stream: StreamName) => Promise<unknown>;
}

/** Streams that are written at the same time share one statement. */
export function createStreamEvents(database: Database): StreamEvents {
  const { streamEvent } = database.prisma;
  const append = batched<StreamBatch, true>(
    async (batches) => {
      const data = batches.flatMap(({ events, ...stream }) =>
        events.map((event) => ({ ...stream, ...event })),
      );
      await streamEvent.createMany({ data, skipDuplicates: true });
      return batches.map(() => true);
    },
    { weigh: ({ events }) => events.reduce((sum, { data }) => sum + data.length, 0) },
  );
  return {
    append,
    read: (stream, after) => readEvents(database, stream, after),
    readData: (stream, position) => readEventData(database, stream, position),
    has: async (stream, position) =>
      (await streamEvent.count({ where: { ...stream, position, event: { not: 'error' } } })) > 0,
    remove: (stream) => streamEvent.deleteMany({ where: { ...stream } }),
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

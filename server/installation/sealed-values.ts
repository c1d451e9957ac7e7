/** Counts all encrypted values by the key that sealed them, and seals them again with another key. */
import { SealError } from '../lib/crypto/sealing.js';
import { sealContexts } from './seal-contexts.js';
import type { KeyRing } from './key-ring.js';
import type { Connection } from '../postgres/connection.js';

type Bytes = Uint8Array<ArrayBuffer>;

interface CountOfKey {
  sealedKey: string | null;
  _count: number;
}

interface SealedTable<Id> {
  countByKey: (connection: Connection) => Promise<CountOfKey[]>;
  /** Returns up to `limit` ids of values that are sealed with another key. */
  listStale: (connection: Connection, keyId: string, limit: number) => Promise<Id[]>;
  read: (connection: Connection, id: Id) => Promise<Bytes | undefined>;
  /** Does nothing if the value has changed since it was read. */
  replace: (
    connection: Connection,
    id: Id,
    before: Bytes,
    after: Bytes,
  ) => Promise<{ count: number }>;
  context: (id: Id) => string;
}

const webhooks: SealedTable<string> = {
  countByKey: async ({ prisma }) => {
    const counts = await prisma.webhook.groupBy({ by: 'sealedKey', _count: true });
    return counts;
  },
  listStale: async ({ prisma }, keyId, take) => {
    const where = { sealedKey: { not: keyId } };
    return (await prisma.webhook.findMany({ where, take, select: { id: true } })).map(
      ({ id }) => id,
    );
  },
  read: async ({ prisma }, id) =>
    (await prisma.webhook.findUnique({ where: { id }, select: { sealedSecret: true } }))
      ?.sealedSecret,
  replace: ({ prisma }, id, sealedSecret, after) =>
    prisma.webhook.updateMany({ where: { id, sealedSecret }, data: { sealedSecret: after } }),
  context: sealContexts.webhook,
};

const mfaEnrolments: SealedTable<{ accountId: string; agentId: string }> = {
  countByKey: async ({ prisma }) => {
    const counts = await prisma.mfaEnrolment.groupBy({ by: 'sealedKey', _count: true });
    return counts;
  },
  listStale: async ({ prisma }, keyId, take) => {
    const where = { sealedKey: { not: keyId } };
    const select = { accountId: true, agentId: true };
    return prisma.mfaEnrolment.findMany({ where, take, select });
  },
  read: async ({ prisma }, agent) =>
    (await prisma.mfaEnrolment.findUnique({ where: { accountId_agentId: agent } }))?.sealedSecret,
  replace: ({ prisma }, agent, sealedSecret, after) =>
    prisma.mfaEnrolment.updateMany({
      where: { ...agent, sealedSecret },
      data: { sealedSecret: after },
    }),
  context: ({ agentId }) => sealContexts.mfaEnrolment(agentId),
};

const idempotencyRecords: SealedTable<{ accountId: string; id: Bytes }> = {
  countByKey: async ({ prisma }) => {
    const where = { sealedKey: { not: null } };
    const counts = await prisma.idempotencyRecord.groupBy({ by: 'sealedKey', where, _count: true });
    return counts;
  },
  listStale: async ({ prisma }, keyId, take) => {
    const where = { sealedKey: { not: keyId } };
    const select = { accountId: true, id: true };
    return prisma.idempotencyRecord.findMany({ where, take, select });
  },
  read: async ({ prisma }, id) => {
    const found = await prisma.idempotencyRecord.findUnique({ where: { accountId_id: id } });
    return found?.sealedResponse ?? undefined;
  },
  replace: ({ prisma }, id, sealedResponse, after) =>
    prisma.idempotencyRecord.updateMany({
      where: { ...id, sealedResponse },
      data: { sealedResponse: after },
    }),
  context: ({ id }) => sealContexts.idempotencyRecord(id),
};

const streamEvents: SealedTable<{ accountId: string; streamId: string; position: number }> = {
  countByKey: async ({ prisma }) => {
    const counts = await prisma.streamEvent.groupBy({ by: 'sealedKey', _count: true });
    return counts;
  },
  listStale: ({ prisma }, keyId, take) => {
    const where = { sealedKey: { not: keyId } };
    return prisma.streamEvent.findMany({
      where,
      take,
      select: { accountId: true, streamId: true, position: true },
    });
  },
  read: async ({ prisma }, id) =>
    (await prisma.streamEvent.findUnique({ where: { accountId_streamId_position: id } }))
      ?.sealedData,
  replace: ({ prisma }, id, sealedData, after) =>
    prisma.streamEvent.updateMany({ where: { ...id, sealedData }, data: { sealedData: after } }),
  context: sealContexts.streamEvent,
};

const runSteps: SealedTable<{ accountId: string; requestId: string; position: number }> = {
  countByKey: async ({ prisma }) => {
    const counts = await prisma.runStep.groupBy({ by: 'sealedKey', _count: true });
    return counts;
  },
  listStale: ({ prisma }, keyId, take) => {
    const where = { sealedKey: { not: keyId } };
    return prisma.runStep.findMany({
      where,
      take,
      select: { accountId: true, requestId: true, position: true },
    });
  },
  read: async ({ prisma }, id) =>
    (await prisma.runStep.findUnique({ where: { accountId_requestId_position: id } }))?.sealedData,
  replace: ({ prisma }, id, sealedData, after) =>
    prisma.runStep.updateMany({ where: { ...id, sealedData }, data: { sealedData: after } }),
  context: sealContexts.runStep,
};

const tables = { webhooks, mfaEnrolments, idempotencyRecords, streamEvents, runSteps };

export type SealedKind = keyof typeof tables;

export const sealedKinds: SealedKind[] = [
  'webhooks',
  'mfaEnrolments',
  'idempotencyRecords',
  'streamEvents',
  'runSteps',
];

/** Counts the values that are sealed with one of the keys. */
export async function countSealed(connection: Connection, keyIds: string[]): Promise<number> {
  const counts = await Promise.all(sealedKinds.map((kind) => countByKey(connection, kind)));
  const found = counts.flatMap((byKey) => keyIds.map((id) => byKey.get(id) ?? 0));
  return found.reduce((sum, count) => sum + count, 0);
}

/** Returns the number of values of a kind by key id. */
export async function countByKey(
  connection: Connection,
  kind: SealedKind,
): Promise<Map<string, number>> {
  const counts = await tables[kind].countByKey(connection);
  return new Map(counts.map(({ sealedKey, _count }) => [sealedKey ?? '', _count]));
}

/** Limits memory: a response may have several megabytes. */
const concurrency = 8;
/** A large batch, because each query has to skip all values that are already sealed with the new key. */
const listBatch = 5_000;

interface ResealOptions {
  onProgress: (resealed: number) => void;
  /** Called for a value that was tampered with and cannot be opened. It stays unchanged. */
  onUnreadable: (context: string) => void;
}

/** Seals all values of a kind with the active key, in small steps, while instances read and write. */
export async function resealAll(
  connection: Connection,
  ring: KeyRing,
  kind: SealedKind,
  options: ResealOptions,
): Promise<void> {
  // Separate calls, because the type of the ids differs.
  if (kind === 'idempotencyRecords') await reseal(connection, ring, tables[kind], options);
  else if (kind === 'streamEvents') await reseal(connection, ring, tables[kind], options);
  else if (kind === 'runSteps') await reseal(connection, ring, tables[kind], options);
  else if (kind === 'mfaEnrolments') await reseal(connection, ring, tables[kind], options);
  else await reseal(connection, ring, tables[kind], options);
}

async function reseal<Id>(
  connection: Connection,
  ring: KeyRing,
  table: SealedTable<Id>,
  { onProgress, onUnreadable }: ResealOptions,
): Promise<void> {
  const unreadable = new Set<string>();
  const resealOne = async (id: Id) => {
    const before = await table.read(connection, id);
    if (!before) return;
    const context = table.context(id);
    try {
      const after = ring.seal(ring.open(before, context), context);
      onProgress((await table.replace(connection, id, before, after)).count);
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      unreadable.add(context);
      onUnreadable(context);
    }
  };
  for (;;) {
    const stale = await table.listStale(connection, ring.sealing.id, listBatch);
    const pending = stale.filter((id) => !unreadable.has(table.context(id)));
    if (pending.length === 0) return;
    for (let start = 0; start < pending.length; start += concurrency) {
      await Promise.all(pending.slice(start, start + concurrency).map(resealOne));
    }
  }
}

/** Storing embeddings: one instance at a time, and none for deleted entries. */
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createSemanticSearch } from '../../server/memory/semantic-search.js';
import { lowestIdAt, newId } from '../../server/lib/data/typeid.js';
import {
  claimProgress,
  readProgress,
  saveEmbeddings,
  saveProgress,
} from '../../server/memory/embeddings.sql.js';
import {
  createTestDatabase,
  type OpenDatabase,
  type TestDatabase,
} from '../helpers/database/database.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const model = 'local/small';

let fixture: TestDatabase;
let database: OpenDatabase;
let accountId: string;
let agentId: string;

beforeAll(async () => {
  fixture = await createTestDatabase();
  database = fixture.database;
  accountId = await insertAccount(database);
  agentId = await insertAgent(database, accountId);
});

afterAll(() => fixture.close());

async function newEntry(id = newId('mem')): Promise<string> {
  await database.prisma.memoryEntry.create({
    data: { accountId, id, agentId, requestId: newId('req'), role: 'user', content: 'something' },
  });
  return id;
}

const of = (id: string) => ({ accountId, memoryId: agentId, id });

const embedded = async (ids: string[]) => {
  const found = await database.prisma.memoryEmbedding.findMany({ where: { entryId: { in: ids } } });
  return found.map(({ entryId, ...values }) => [entryId, values]);
};

describe('Embeddings', () => {
  test('replace those of another model', async () => {
    const id = await newEntry();
    await saveEmbeddings(database, 'local/old', [{ ...of(id), vector: [1, 0] }]);
    await saveEmbeddings(database, model, [{ ...of(id), vector: [0, -1, 1] }]);
    expect(await embedded([id])).toEqual([
      [id, { accountId, agentId, model, embedding: [0, -1, 1], signature: '001' }],
    ]);
  });

  test('of an entry that is deleted at the same time are dropped, and the others are kept', async () => {
    const [gone, kept] = [await newEntry(), await newEntry()];
    let saving: Promise<void> | undefined;
    await database.transaction(async ({ prisma }) => {
      await prisma.memoryEntry.delete({
        where: { accountId_agentId_id: { accountId, agentId, id: gone } },
      });
      saving = saveEmbeddings(database, model, [
        { ...of(gone), vector: [1] },
        { ...of(kept), vector: [1] },
      ]);
      // It must wait for this transaction, so give it time to be found waiting.
      await waitForLockWaiter(database.pool);
    });
    await saving;
    expect((await embedded([gone, kept])).map(([id]) => id)).toEqual([kept]);
  });
});

test('are processed by one instance at a time, and from the beginning with another model', async () => {
  const start = await readProgress(database, model);
  expect(start).toEqual({ model, through: '' });
  const claims = await Promise.all([1, 2, 3].map(() => claimProgress(database, start, 60_000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  await saveProgress(database, { model, through: 'mem_1' });
  expect(await readProgress(database, model)).toEqual({ model, through: 'mem_1' });
  expect(await readProgress(database, 'local/other')).toEqual({
    model: 'local/other',
    through: '',
  });
  expect(await claimProgress(database, { model, through: 'mem_1' }, 0)).toBeInstanceOf(Date);
});

describe('with a clock that is an hour ahead', () => {
  const hourMs = 3_600_000;

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const setClockAhead = () => {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + hourMs);
  };

  test('an instance that dies holds the lease no longer than others', async () => {
    const progress = { model, through: '' };
    await saveProgress(database, progress);
    setClockAhead();
    await claimProgress(database, progress, 0);
    jest.restoreAllMocks();
    expect(await claimProgress(database, progress, 60_000)).toBeInstanceOf(Date);
    await saveProgress(database, progress);
  });

  test('an instance takes over the lease no earlier than others', async () => {
    const progress = { model, through: '' };
    await claimProgress(database, progress, 60_000);
    setClockAhead();
    expect(await claimProgress(database, progress, 60_000)).toBeUndefined();
    await saveProgress(database, progress);
  });

  test('an instance does not skip entries that become visible late', async () => {
    const embed = (texts: string[]) => Promise.resolve(texts.map(() => [1]));
    const { embedNext } = await createSemanticSearch(
      database,
      { name: 'local/late', embed },
      () => undefined,
    );
    const { signal } = new AbortController();
    const first = await newEntry();
    setClockAhead();
    await embedNext(signal);
    jest.restoreAllMocks();
    const late = await newEntry(lowestIdAt('mem', new Date(Date.now() - 30_000)));
    await embedNext(signal);
    expect((await embedded([first, late])).map(([id]) => id).sort()).toEqual([late, first].sort());
  });
});

/** The last use of keys is recorded in batches, and failures to record it affect no request. */
import { describe, expect, test } from '@jest/globals';
import { trackKeyUse } from '../../server/keys/key-use.js';
import type { Database } from '../../server/postgres/database.js';
import { useDatabase } from '../helpers/database/database.js';
import { insertAccount, insertKey } from '../helpers/database/rows.js';

const fixture = useDatabase();

describe('recording the last use of keys', () => {
  test('never moves a time back, even if two instances write out of order', async () => {
    const { database } = fixture;
    const later = new Date(Date.now() + 60_000);
    const id = await insertKey(database, await insertAccount(database), { lastUsedAt: later });
    const keyUse = trackKeyUse(database, { onError: fail });
    keyUse.record(id);
    await keyUse.close();
    const { lastUsedAt } = await database.prisma.apiKey.findUniqueOrThrow({ where: { id } });
    expect(lastUsedAt).toEqual(later);
  });

  test('reports a failed write and continues', async () => {
    const failures: unknown[] = [];
    const broken: Database = {
      ...fixture.database,
      run: () => Promise.reject(new Error('no database')),
    };
    const keyUse = trackKeyUse(broken, { onError: (error) => failures.push(error) });
    keyUse.record('key_1');
    await keyUse.close();
    keyUse.record('key_2');
    await keyUse.close();
    expect(failures).toHaveLength(2);
  });
});

function fail(error: unknown): never {
  throw new Error('The last use could not be recorded.', { cause: error });
}

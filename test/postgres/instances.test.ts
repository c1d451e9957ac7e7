/** The table of running instances, which the operator's commands read. */
import { hostname } from 'node:os';
import { expect, test } from '@jest/globals';
import { readRunningInstances, registerInstance } from '../../server/postgres/instances.js';
import { useDatabase } from '../helpers/database/database.js';

const fixture = useDatabase();

const traits = {
  role: 'service',
  secretsKeyIds: ['0a', '0b'],
  providers: ['local'],
  allowsPrivateTargets: true,
  variables: ['SHOP_TOKEN'],
} as const;

test('an instance is listed while it runs, with its settings', async () => {
  const { database } = fixture;
  const registration = await registerInstance(database, traits);
  expect(await readRunningInstances(database)).toMatchObject([
    { ...traits, host: hostname(), pid: process.pid },
  ]);
  await registration.end();
  expect(await readRunningInstances(database)).toEqual([]);
});

test('a dead instance is omitted when its heartbeat is old, and its row is deleted', async () => {
  const { database } = fixture;
  const dead = await registerInstance(database, traits);
  const age = (interval: string) =>
    database.pool.query('UPDATE instances SET heartbeat_at = now() - $1::interval', [interval]);
  await age('10 seconds');
  expect(await readRunningInstances(database)).toHaveLength(1);
  await age('16 seconds');
  expect(await readRunningInstances(database)).toEqual([]);
  expect(await database.prisma.instance.count()).toBe(0);
  await dead.end();
});

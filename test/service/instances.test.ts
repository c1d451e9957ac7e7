/** Several instances on one database: what one of them is told, all of them know within a second. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { administer, testCluster } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { type Proxy, proxyTo } from '../helpers/proxy.js';
import {
  startTestService,
  type Tenant,
  type TestInstance,
  type TestService,
} from '../helpers/service.js';

let service: TestService;
let second: TestInstance;
let tenant: Tenant;
let proxy: Proxy;

beforeAll(async () => {
  service = await startTestService();
  second = await service.another();
  tenant = await service.tenant();
  proxy = await proxyTo(service.databaseUrl);
});

afterAll(async () => {
  await service.stop();
  await proxy.close();
});

/** A key that the instance has in its cache, because it was used there a moment ago. */
async function keyInUse({
  api,
}: TestInstance): Promise<{ id: string; stillWorks: () => Promise<boolean> }> {
  const { id, key } = await tenant.newKey();
  const stillWorks = async () => (await api(key).call('listAgents')).status === 200;
  expect(await stillWorks()).toBe(true);
  return { id, stillWorks };
}

/** Uses the key without a pause until it is refused; returns when the last request began that got through. */
async function timeUntilRefused(stillWorks: () => Promise<boolean>): Promise<number> {
  const revoked = Date.now();
  let lastUse = revoked;
  for (let begun = revoked; await stillWorks(); begun = Date.now()) lastUse = begun;
  return lastUse - revoked;
}

const revoke = (key_id: string) => tenant.api.expect('revokeApiKey', 200, { path: { key_id } });

describe('a revocation', () => {
  test('holds on every instance within a second', async () => {
    const { id, stillWorks } = await keyInUse(second);
    await revoke(id);
    expect(await timeUntilRefused(stillWorks)).toBeLessThan(1_000);
  });

  test('is heard again after the connections that listen were lost', async () => {
    const { rowCount: before } = await service.database.pool.query(listeners);
    await loseListeners();
    await eventually(async () => {
      const { rowCount } = await service.database.pool.query(listeners);
      expect(rowCount).toBe(before);
    });
    const { id, stillWorks } = await keyInUse(second);
    await revoke(id);
    expect(await timeUntilRefused(stillWorks)).toBeLessThan(1_000);
  });

  test('holds within a second even where no announcement arrives at all', async () => {
    const deaf = await service.another({ DIRECT_DATABASE_URL: proxy.url });
    await proxy.cut();
    const { id, stillWorks } = await keyInUse(deaf);
    await revoke(id);
    expect(await timeUntilRefused(stillWorks)).toBeLessThan(1_000);
  });
});

const listeners = `
  SELECT pid FROM pg_stat_activity
   WHERE datname = current_database() AND application_name LIKE '%listener'`;

async function loseListeners(): Promise<void> {
  const { rows } = await service.database.pool.query<{ pid: number }>(listeners);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  const pids = rows.map(({ pid }) => pid).join(', ');
  await administer(
    testCluster().adminUrl,
    `SELECT pg_terminate_backend(pid) FROM unnest(ARRAY[${pids}]) AS pid`,
  );
}

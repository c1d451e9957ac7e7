/** Lost database connections fail requests, but never the process. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import {
  endsWithReadyForQuery,
  errorResponse,
  useProxy,
} from '../helpers/servers/database-proxy.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const proxy = useProxy(service);
const instance: ServiceProcess = useFixture(
  () => startServiceProcess({ environment: environmentFor({ databaseUrl: proxy.url }) }),
  (started) => started.end('SIGTERM'),
);

const writesPerClient = 10;

const shutDown = errorResponse('FATAL', '57P01', 'terminating connection');

/** Writes with this many clients during the fault, and returns their statuses. */
async function writeDuring(
  clients: number,
  fault: (isOver: () => boolean) => Promise<void>,
): Promise<Set<number>> {
  const { call } = apiClient(instance.url, tenant.key);
  const statuses = new Set<number>();
  let writing = clients;
  const write = async () => {
    const { id: agent_id } = await tenant.newAgent();
    for (let count = 0; count < writesPerClient; count += 1) {
      const body = { temperature: Math.random() };
      statuses.add((await call('updateAgent', { path: { agent_id }, body })).status);
    }
    writing -= 1;
  };
  await Promise.all([...Array.from({ length: clients }, write), fault(() => writing === 0)]);
  return statuses;
}

async function expectRecovered(): Promise<void> {
  const { call } = apiClient(instance.url, tenant.key);
  await eventually(async () => {
    expect((await call('listAgents')).status).toBe(200);
  });
}

test('a session that ends at the moment when it becomes idle', async () => {
  proxy.tamper((sent) => (endsWithReadyForQuery(sent) ? Buffer.concat([sent, shutDown]) : sent));
  const statuses = await writeDuring(10, () => Promise.resolve());
  proxy.tamper(undefined);
  expect(statuses).toContain(503);
  expect(statuses).not.toContain(500);
  await expectRecovered();
});

test('sessions that are terminated under load', async () => {
  const statuses = await writeDuring(40, async (isOver) => {
    while (!isOver()) {
      await service.database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'agent-hosting-service%' AND pid <> pg_backend_pid()`,
      );
      await delay(100);
    }
  });
  expect(statuses).toContain(503);
  expect(statuses).not.toContain(500);
  await expectRecovered();
});

/** Connections to the database that end at any moment fail requests, and never the process. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { apiClient } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/fixture.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/process.js';
import { endsReady, errorResponse, useProxy } from '../helpers/proxy.js';
import { besides, useService, useTenant } from '../helpers/service.js';

const service = useService();
const tenant = useTenant(service);
const proxy = useProxy(service);
const instance: ServiceProcess = useFixture(
  () => startServiceProcess({ environment: besides({ databaseUrl: proxy.url }) }),
  (started) => started.end('SIGTERM'),
);

const shutDown = errorResponse('FATAL', '57P01', 'terminating connection');

/** Writes with as many clients for as long as the fault goes on, and returns the statuses that they got. */
async function writeDuring(fault: Promise<unknown>, clients: number): Promise<Set<number>> {
  const { call } = apiClient(instance.url, tenant.key);
  const statuses = new Set<number>();
  let isOver = false;
  const write = async () => {
    const { id: agent_id } = await tenant.newAgent();
    while (!isOver) {
      const body = { temperature: Math.random() };
      statuses.add((await call('updateAgent', { path: { agent_id }, body })).status);
    }
  };
  const writers = Array.from({ length: clients }, write);
  await fault;
  isOver = true;
  await Promise.all(writers);
  return statuses;
}

async function expectWellAgain(): Promise<void> {
  const { call } = apiClient(instance.url, tenant.key);
  await eventually(async () => {
    expect((await call('listAgents')).status).toBe(200);
  });
}

test('a session that ends in the moment in which it becomes free', async () => {
  proxy.tamper((sent) => (endsReady(sent) ? Buffer.concat([sent, shutDown]) : sent));
  const statuses = await writeDuring(delay(1_000), 10);
  proxy.tamper(undefined);
  expect(statuses).toContain(503);
  expect(statuses).not.toContain(500);
  await expectWellAgain();
});

test('sessions that are terminated under load', async () => {
  const terminate = async () => {
    for (let times = 0; times < 30; times += 1) {
      await service.database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name LIKE 'agent-hosting-service%' AND pid <> pg_backend_pid()`,
      );
      await delay(100);
    }
  };
  const statuses = await writeDuring(terminate(), 40);
  expect(statuses).toContain(200);
  expect(statuses).not.toContain(500);
  await expectWellAgain();
});

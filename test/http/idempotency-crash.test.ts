/** The service is killed in the middle of requests; however often they are repeated, each has its effect once. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { startTestService, type TestService, testSecretsKey } from '../helpers/service.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/service-process.js';

const rounds = 2;
const requestsPerRound = 80;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

function startInstance(): Promise<ServiceProcess> {
  return startServiceProcess({
    environment: {
      DATABASE_URL: service.databaseUrl,
      DATABASE_POOL_SIZE: '10',
      SECRETS_KEY: testSecretsKey.toString('base64'),
      LOG_LEVEL: 'silent',
    },
  });
}

test('exactly one key is made for each Idempotency-Key, whenever the process dies', async () => {
  const { prisma, pool } = service.database;
  const { key, accountId } = await service.tenant();
  const create = async (url: string, id: string) => {
    const { status, body } = await apiClient(url, key).call('createApiKey', {
      headers: { 'idempotency-key': id },
      body: { name: id, permissions: ['read'] },
    });
    return { status, issued: (body as { data?: { key: string } }).data?.key };
  };
  const answered = new Map<string, string>();
  let instance = await startInstance();
  let cutOff = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const ids = Array.from({ length: requestsPerRound }, () => randomUUID());
      const { url } = instance;
      // One request first, so that what follows meets a process that works at full speed.
      await create(url, randomUUID());
      const attempts = ids.map(async (id) => {
        const answer = await create(url, id).catch(() => undefined);
        if (answer?.issued === undefined) cutOff += 1;
        else answered.set(id, answer.issued);
      });
      await delay(randomInt(5, 120));
      await instance.end('SIGKILL');
      await Promise.all(attempts);

      instance = await startInstance();
      // What the dead process had begun is anybody's once its lease has ended; the test has no half a minute to wait.
      await pool.query(
        `UPDATE idempotency_records SET lease_until = now() WHERE state = 'running'`,
      );
      await Promise.all(
        ids.map(async (id) => {
          const issued = await eventually(async () => {
            const answer = await create(instance.url, id);
            expect(answer.status).toBe(201);
            return answer.issued ?? '';
          });
          // Who had an answer before the crash gets the same one again.
          expect(issued).toBe(answered.get(id) ?? issued);
        }),
      );
      const made = await prisma.apiKey.groupBy({
        by: ['name'],
        where: { accountId, name: { in: ids } },
        _count: true,
      });
      expect(made.map(({ _count }) => _count)).toEqual(ids.map(() => 1));
    }
  } finally {
    await instance.end('SIGKILL');
  }
  // A kill that met no request would have proved nothing.
  expect(cutOff).toBeGreaterThan(0);
}, 240_000);

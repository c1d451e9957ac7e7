/** The service is killed in the middle of requests; however often they are repeated, each has one effect. */
import { randomInt, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { idempotencyLeaseMs } from '../../server/idempotency/records.js';
import { apiClient } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { environmentFor, useService } from '../helpers/service/service.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';

const rounds = 2;
const requestsPerRound = 80;

const service = useService();

function startInstance(): Promise<ServiceProcess> {
  return startServiceProcess({
    environment: { ...environmentFor(service), DATABASE_POOL_SIZE: '10', LOG_LEVEL: 'silent' },
  });
}

test('exactly one key is created for each Idempotency-Key, whenever the process dies', async () => {
  const { prisma } = service.database;
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
      // Warms up the process first.
      await create(url, randomUUID());
      // The process is killed after a number of responses, so that the moment is as random as the load.
      let untilKill = randomInt(1, requestsPerRound / 2);
      let killed: Promise<unknown> | undefined;
      const attempts = ids.map(async (id) => {
        const answer = await create(url, id).catch(() => undefined);
        if (answer?.issued === undefined) cutOff += 1;
        else answered.set(id, answer.issued);
        untilKill -= 1;
        if (untilKill === 0) killed = instance.end('SIGKILL');
      });
      await Promise.all(attempts);
      await killed;

      instance = await startInstance();
      await Promise.all(
        ids.map(async (id) => {
          const issued = await eventually(async () => {
            const answer = await create(instance.url, id);
            expect(answer.status).toBe(201);
            return answer.issued ?? '';
            // Requests of the dead process can be taken over when its lease expires.
          }, idempotencyLeaseMs + 5_000);
          // A client that got a response before the crash gets the same one again.
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
  // A kill without a running request would prove nothing.
  expect(cutOff).toBeGreaterThan(0);
}, 240_000);

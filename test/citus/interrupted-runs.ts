/** Runs of several steps, one in each account, whose instance is killed. */
import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { startWorkshop } from '../faults/workshop.js';
import type { OpenDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { apiClient } from '../helpers/service/api.js';
import type { Environment, Tenant } from '../helpers/service/service.js';
import type { CitusCluster, Node } from './cluster.js';

interface Distributed {
  cluster: CitusCluster;
  database: OpenDatabase;
  /** One on each worker, in their order. */
  tenants: readonly Tenant[];
  environment: Environment;
}

export async function interruptRuns({
  cluster,
  database,
  tenants,
  environment,
}: Distributed): Promise<void> {
  const workshop = await startWorkshop();
  const start = () =>
    startServiceProcess({ environment: { ...environment, ...workshop.environment } });
  const doomed = await start();
  const processes = [doomed];
  try {
    const steps = Array.from({ length: 6 }, () => ['make', 'remake'] as const);
    const begun = await Promise.all(
      tenants.map(async (tenant) => {
        const { id } = await tenant.newAgent(workshop.agent);
        const run = workshop.open({ steps, pauseMs: 500 });
        const call = {
          path: { agent_id: id },
          headers: { 'idempotency-key': randomUUID() },
          body: { message: run.message },
        };
        return { tenant, run, call };
      }),
    );
    for (const { tenant, call } of begun) {
      // Fails when the instance is killed.
      void apiClient(doomed.url, tenant.key)
        .call('invokeAgent', call)
        .catch(() => undefined);
    }
    const callsOf = ({ run }: (typeof begun)[number]) =>
      run.timesMade().reduce((sum, times) => sum + times, 0);
    await eventually(() => {
      expect(Math.min(...begun.map(callsOf))).toBeGreaterThan(2);
    });
    workshop.hold('model');
    await eventually(() => {
      expect(workshop.waiting()).toBe(begun.length);
    });
    // Its beginning, and of each reply with two calls: itself, that they begin, and their results.
    await eventually(async () => {
      expect(await Promise.all(cluster.workers.map((worker) => stepsOn(cluster, worker)))).toEqual(
        begun.map((one) => [{ id: one.tenant.accountId, steps: 1 + 2 * callsOf(one) }]),
      );
    });
    await doomed.end('SIGKILL');
    workshop.hold(undefined);
    const survivor = await start();
    processes.push(survivor);
    for (const { tenant, run, call } of begun) {
      const api = apiClient(survivor.url, tenant.key);
      const { data } = await eventually(() => api.expect('invokeAgent', 200, call), 60_000);
      run.finish(data.response);
      expect(run.timesMade()).toEqual(Array.from({ length: 12 }, () => 1));
    }
    expect(workshop.takeViolations()).toEqual([]);
    expect(await database.prisma.runStep.count()).toBe(0);
  } finally {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    await workshop.stop();
  }
}

/** The number of steps of each account that are in the shards of a worker. */
async function stepsOn(
  { coordinator }: CitusCluster,
  worker: Node,
): Promise<{ id: string; steps: number }[]> {
  const shards = await coordinator.query<{ name: string }>(
    `SELECT shard_name AS name FROM citus_shards WHERE table_name = 'run_steps'::regclass AND nodeport = $1`,
    [worker.port],
  );
  const counts = await Promise.all(
    shards.map(({ name }) =>
      worker.query<{ id: string; steps: number }>(
        `SELECT account_id AS id, count(*)::int AS steps FROM ${name} GROUP BY account_id`,
      ),
    ),
  );
  return counts.flat();
}

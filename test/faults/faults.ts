/**
 * The faults. Each runs for a while, during which clients write, and is over when its promise resolves to the time in ms
 * for which it made writing impossible.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultyCluster } from './cluster.js';
import type { Instance } from './instances.js';
import type { Random } from '../helpers/text/random.js';
import type { Rig } from './rig.js';

export type Fault = (rig: Rig, random: Random) => Promise<number>;

/** Runs a statement as superuser. */
type Administer = (statement: string) => Promise<unknown>;

/** Kills one instance and restarts it, repeatedly, while the other one runs. */
export const kills =
  (number: number): Fault =>
  async (rig, random) => {
    for (let count = 0; count < number; count += 1) {
      const victim = random.of(rig.all);
      await delay(random.between(0, 400));
      await victim.end('SIGKILL');
      await victim.start();
    }
    return 0;
  };

/** Restarts the instances one after the other, like a rolling deployment. */
export const rollOuts =
  (number: number): Fault =>
  async (rig) => {
    for (let count = 0; count < number; count += 1) {
      for (const instance of rig.all) {
        await restart(instance);
        await delay(500);
      }
    }
    return 0;
  };

async function restart(instance: Instance): Promise<void> {
  await instance.end('SIGTERM');
  await instance.start();
}

export const crashesOfPostgres =
  (cluster: Pick<FaultyCluster, 'crash'>, number: number): Fault =>
  async () => {
    const downMs: number[] = [];
    for (let count = 0; count < number; count += 1) {
      await delay(2_000);
      downMs.push(await cluster.crash());
      await delay(3_000);
    }
    return Math.max(...downMs);
  };

/** Terminates random sessions, some of them in the middle of a statement. */
export const terminatedSessions =
  (administer: Administer, milliseconds: number): Fault =>
  async (rig, random) => {
    const end = performance.now() + milliseconds;
    while (performance.now() < end) {
      const share = random.chance(0.1) ? 1 : random.below(0.5);
      await administer(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '${nameOf(rig.databaseUrl)}' AND random() < ${share}`);
      await delay(random.between(20, 300));
    }
    return 0;
  };

export const hungPostgres =
  (cluster: Pick<FaultyCluster, 'signal'>, milliseconds: number): Fault =>
  async () => {
    await delay(1_000);
    await cluster.signal('SIGSTOP');
    try {
      await delay(milliseconds);
    } finally {
      await cluster.signal('SIGCONT');
    }
    await delay(2_000);
    return milliseconds;
  };

/** Looks like a failover to a standby. */
export const readOnlyPostgres =
  (administer: Administer, milliseconds: number): Fault =>
  async (rig) => {
    const database = nameOf(rig.databaseUrl);
    const set = async (isReadOnly: boolean) => {
      await administer(
        `ALTER DATABASE ${database} SET default_transaction_read_only = ${isReadOnly}`,
      );
      await administer(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
    };
    await delay(1_000);
    await set(true);
    await delay(milliseconds);
    await set(false);
    await delay(1_000);
    return milliseconds;
  };

export const noFault =
  (milliseconds: number): Fault =>
  async () => {
    await delay(milliseconds);
    return 0;
  };

export function nameOf(databaseUrl: string): string {
  return new URL(databaseUrl).pathname.slice(1);
}

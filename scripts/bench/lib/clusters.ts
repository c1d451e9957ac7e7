/** The PostgreSQL clusters of a benchmark: durable, migrated, and removed at its end. */
import type { Database } from '../../../server/store/database.js';
import { migrate } from '../../../server/store/migrations/migrate.js';
import { type ScratchCluster, startScratchCluster } from '../../db/scratch.js';
import { openBenchDatabase } from './database.js';

export interface BenchCluster extends ScratchCluster {
  database: Database;
}

export interface Clusters {
  start: (settings?: Record<string, string>) => Promise<BenchCluster>;
  stop: () => Promise<void>;
}

export function createClusters(): Clusters {
  const running: BenchCluster[] = [];
  return {
    start: async (settings = {}) => {
      const scratch = await startScratchCluster({ durable: true, settings });
      await migrate({ url: scratch.url });
      const cluster = { ...scratch, database: await openBenchDatabase(scratch.url) };
      running.push(cluster);
      return cluster;
    },
    stop: async () => {
      for (const cluster of running) {
        await cluster.database.close();
        await cluster.stop();
      }
    },
  };
}

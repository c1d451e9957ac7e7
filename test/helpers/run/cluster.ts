/**
 * The program behind the tests' PostgreSQL: starts it, migrates the database that test databases are copied from, says
 * where it is, and stops it when its input ends, which happens at the latest when the test run does.
 */
import { once } from 'node:events';
import { startScratchCluster } from '../../../scripts/db/scratch.js';
import { migrate } from '../../../server/store/postgres/migrations/migrate.js';

const cluster = await startScratchCluster();
try {
  await migrate({ url: cluster.url });
  process.stdout.write(`${JSON.stringify({ url: cluster.url, adminUrl: cluster.adminUrl })}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
} finally {
  await cluster.stop();
}

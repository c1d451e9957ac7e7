/**
 * The program that runs the tests' PostgreSQL: it starts the server, migrates the template database, prints the URL, and
 * stops the server when its standard input closes, at the latest at the end of the test run.
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

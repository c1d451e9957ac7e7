/**
 * The program that runs the tests' PostgreSQL: it starts the server, migrates the template database, prints the URL, and
 * stops the server when its standard input closes, at the latest at the end of the test run.
 */
import { once } from 'node:events';
import pg from 'pg';
import { startScratchCluster } from '../../../scripts/db/scratch.js';
import { migrate } from '../../../server/postgres/migrations/migrate.js';

const cluster = await startScratchCluster();
try {
  await weakenPasswords(cluster);
  await migrate({ url: cluster.url });
  process.stdout.write(`${JSON.stringify({ url: cluster.url, adminUrl: cluster.adminUrl })}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
} finally {
  await cluster.stop();
}

/** A client takes milliseconds for every login with the usual 4096 rounds, and the tests log in many thousand times. */
async function weakenPasswords({
  url,
  adminUrl,
}: {
  url: string;
  adminUrl: string;
}): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('SET scram_iterations = 1');
    for (const { username, password } of [url, adminUrl].map((each) => new URL(each))) {
      const [role, secret] = [pg.escapeIdentifier(username), pg.escapeLiteral(password)];
      await client.query(`ALTER ROLE ${role} PASSWORD ${secret}`);
    }
  } finally {
    await client.end();
  }
}

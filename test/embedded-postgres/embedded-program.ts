/** A service reduced to its embedded database, for tests that kill it. Its argument is the data directory. */
import { once } from 'node:events';
import { openEmbedded } from '../../server/process/embedded-database.js';

const [, , dataDir = ''] = process.argv;
const told = once(process, 'SIGTERM');
// A pending signal handler does not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
try {
  const embedded = await openEmbedded('start', { dataDir, durable: false });
  const { url, adopted } = embedded;
  process.stdout.write(`${JSON.stringify({ url, adopted })}\n`);
  await told;
  await embedded.stop();
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  clearInterval(alive);
}

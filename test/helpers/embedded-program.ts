/** A service reduced to its embedded database, for tests that kill it: `embedded-program.ts DATA_DIR`. */
import { once } from 'node:events';
import { startEmbedded } from '../../server/store/embedded/embedded.js';

const [, , dataDir = ''] = process.argv;
try {
  const embedded = await startEmbedded({ dataDir, durable: false });
  const { url, adminUrl, adopted } = embedded;
  process.stdout.write(`${JSON.stringify({ url, adminUrl, adopted })}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
  await embedded.stop();
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

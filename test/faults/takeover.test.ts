/** What becomes of a delivery when the process that makes it dies, with the settings that it comes with. */
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startDeliveryTest } from '../helpers/delivery.js';
import { startBuilt } from '../helpers/process.js';
import { accept, inSequence } from '../helpers/receiver.js';

test("a killed worker's delivery is another one's as soon as its lease has expired", async () => {
  const secretsKey = randomBytes(32);
  const bench = await startDeliveryTest({ secretsKey });
  const { receiver, webhook } = await bench.receiving(inSequence(() => undefined, accept));
  const doomed = await startBuilt('server/worker', [], {
    environment: {
      DATABASE_URL: bench.databaseUrl,
      SECRETS_KEY: secretsKey.toString('base64'),
      ALLOW_PRIVATE_TARGETS: 'true',
    },
  });
  try {
    const event = await bench.send([webhook.id]);
    await receiver.got(1, 30_000);
    await doomed.end('SIGKILL');
    // With the time until the next poll, it takes no longer than the 15 seconds that are promised.
    const { rows } = await bench.database.pool.query(`
      UPDATE deliveries SET next_attempt_at = now()
       WHERE lease_owner IS NOT NULL AND next_attempt_at <= now() + interval '13 seconds' RETURNING 1`);
    expect(rows).toHaveLength(1);
    await bench.worker();
    await receiver.got(2, 30_000);
    // The attempt that nobody saw the end of does not count.
    expect(await bench.tried(event.id)).toMatchObject({ status: 'succeeded' });
  } finally {
    await doomed.end('SIGKILL');
    await bench.stop();
  }
});

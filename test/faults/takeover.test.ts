/** Takeover of a delivery when its process dies, with the default settings. */
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startDeliveryTest } from '../helpers/service/delivery.js';
import { startBuilt } from '../helpers/programs/process.js';
import { accept, inSequence } from '../helpers/servers/receiver.js';

test("a killed worker's delivery is taken over as soon as its lease has expired", async () => {
  const secretsKey = randomBytes(32);
  const fixture = await startDeliveryTest({ secretsKey });
  const { receiver, webhook } = await fixture.receiving(inSequence(() => undefined, accept));
  const doomed = await startBuilt('server/worker', [], {
    environment: {
      DATABASE_URL: fixture.databaseUrl,
      SECRETS_KEY: secretsKey.toString('base64'),
      ALLOW_PRIVATE_TARGETS: 'true',
    },
  });
  try {
    const event = await fixture.send([webhook.id]);
    await receiver.got(1, 30_000);
    await doomed.end('SIGKILL');
    // Including the time until the next poll, it takes at most the promised 15 seconds.
    const { rows } = await fixture.database.pool.query(`
      UPDATE deliveries SET next_attempt_at = now()
       WHERE lease_owner IS NOT NULL AND next_attempt_at <= now() + interval '13 seconds' RETURNING 1`);
    expect(rows).toHaveLength(1);
    await fixture.worker();
    await receiver.got(2, 30_000);
    // The interrupted attempt does not count.
    expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
  } finally {
    await doomed.end('SIGKILL');
    await fixture.stop();
  }
});

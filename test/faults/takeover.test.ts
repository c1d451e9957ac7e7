/** How long a delivery is lost from sight when the process that makes it dies, with the settings that it comes with. */
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { startDeliveryTest } from '../helpers/delivery.js';
import { accept, inTurn } from '../helpers/receiver.js';
import { startProgram } from '../helpers/service-process.js';

test("a killed worker's delivery is taken over within 15 seconds", async () => {
  const secretsKey = randomBytes(32);
  const bench = await startDeliveryTest({ secretsKey });
  const { receiver, webhook } = await bench.receiving(inTurn(() => undefined, accept));
  const doomed = startProgram('server/worker.ts', [], {
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
    const killedAt = performance.now();
    await bench.worker();
    const [, second] = await receiver.got(2, 30_000);
    expect((second?.at ?? Infinity) - killedAt).toBeLessThan(15_000);
    // The attempt that nobody saw the end of does not count.
    expect(await bench.tried(event.id)).toMatchObject({ status: 'succeeded' });
  } finally {
    await doomed.end('SIGKILL');
    await bench.stop();
  }
});

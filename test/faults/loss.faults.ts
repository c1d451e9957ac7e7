/** The full loss test: `npm run test:faults`. It takes a few minutes. */
import { expect, test } from '@jest/globals';
import { expectNothingLost } from './expect-nothing-lost.js';
import { runLossTest } from './loss.js';

test('2000 events survive 20 crashes', async () => {
  const report = await runLossTest({ events: 2_000, kills: 20 });
  const { committed, answered, received, receipts, kills } = report;
  process.stdout.write(
    `${kills} kills, ${answered.size} answered, ${committed.size} committed, ` +
      `${received.size} received in ${receipts} receipts\n`,
  );
  expectNothingLost(report);
  expect(kills).toBeGreaterThanOrEqual(20);
  expect(answered.size).toBeGreaterThanOrEqual(2_000);
}, 900_000);

/** The short form of the loss test; `npm run test:faults` runs the long one. */
import { expect, test } from '@jest/globals';
import { expectNothingLost } from './expect-nothing-lost.js';
import { runLossTest } from './loss.js';

test('no event is lost, and none is made up, when the service is killed in the middle of its work', async () => {
  const report = await runLossTest({ events: 150, kills: 3, callers: 4 });
  expectNothingLost(report);
  expect(report.kills).toBe(3);
  expect(report.answered.size).toBeGreaterThanOrEqual(150);
}, 120_000);

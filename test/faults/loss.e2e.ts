/** The short form of the loss test; `npm run test:faults` runs the long one. */
import { expect, test } from '@jest/globals';
import { expectNothingLost } from './expect-nothing-lost.js';
import { runLossTest } from './loss.js';

test('no event is lost or invented when the service is killed at any moment', async () => {
  const report = await runLossTest({ events: 100, kills: 2, callers: 4 });
  expectNothingLost(report);
  expect(report.kills).toBe(2);
  expect(report.answered.size).toBeGreaterThanOrEqual(100);
}, 120_000);

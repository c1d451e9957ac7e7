/** The conditions that hold after any number of crashes. */
import { expect } from '@jest/globals';
import type { LossReport } from './loss.js';

export function expectNothingLost(report: LossReport): void {
  const missing = (from: Set<string>, needed: Set<string>) =>
    [...needed].filter((id) => !from.has(id));
  // Every committed invocation, including all acknowledged ones, was delivered at least once.
  expect(missing(report.committed, report.answered)).toEqual([]);
  expect(missing(report.received, report.committed)).toEqual([]);
  // No event was delivered for an invocation that was not committed.
  expect(missing(report.committed, report.received)).toEqual([]);
  expect(report.unverified).toBe(0);
  expect(report.undone).toBe(0);
}

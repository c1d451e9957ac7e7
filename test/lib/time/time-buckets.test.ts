/** Time ranges are split without losing, repeating or adding a millisecond. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bucketSizes, coverRange } from '../../../server/lib/time/time-buckets.js';

const time = fc.oneof(
  fc.integer({ min: -1e12, max: 4e12 }),
  fc.tuple(fc.constantFrom(...bucketSizes), fc.nat(1_000)).map(([size, n]) => size * n * 1000),
);
const open = fc.constantFrom(-Infinity, Infinity);

test('the parts are contiguous and cover the range', () => {
  fc.assert(
    fc.property(
      fc.oneof(time, open),
      fc.oneof(time, open),
      fc.constantFrom(...bucketSizes),
      (one, other, largest) => {
        const range = { from: Math.min(one, other), to: Math.max(one, other) };
        const { runs, edges } = coverRange(range, largest);
        const parts = [...runs, ...edges].sort((a, b) => a.from - b.from);
        if (range.from === range.to) {
          expect(parts).toEqual([]);
          return;
        }
        expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([range.from, range.to]);
        for (const [index, { from, to }] of parts.entries()) {
          expect(from).toBeLessThan(to);
          if (index > 0) expect(from).toBe(parts[index - 1]?.to);
        }
      },
    ),
  );
});

test('runs consist of whole buckets, none larger than allowed, and edges are shorter than the smallest bucket', () => {
  fc.assert(
    fc.property(time, time, fc.constantFrom(...bucketSizes), (one, other, largest) => {
      const range = { from: Math.min(one, other), to: Math.max(one, other) };
      const { runs, edges } = coverRange(range, largest);
      for (const { size, from, to } of runs) {
        expect(size).toBeLessThanOrEqual(largest);
        expect([Math.abs(from % (size * 1000)), Math.abs(to % (size * 1000))]).toEqual([0, 0]);
      }
      expect(runs.length).toBeLessThanOrEqual(2 * bucketSizes.length - 1);
      expect(edges.length).toBeLessThanOrEqual(2);
      for (const { from, to } of edges) expect(to - from).toBeLessThan(2 * 60_000);
    }),
  );
});

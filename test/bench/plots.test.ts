/** The axes and lines of the plots. */
import { describe, expect, test } from '@jest/globals';
import { drawChart } from '../../scripts/bench/plots/chart.js';
import { linearScale, logScale } from '../../scripts/bench/plots/scale.js';

describe('a linear scale', () => {
  test.each([
    [[4321], [0, 1000, 2000, 3000, 4000, 5000]],
    [[5000], [0, 1000, 2000, 3000, 4000, 5000]],
    [
      [3, 7.2],
      [0, 2, 4, 6, 8],
    ],
    [[0.04], [0, 0.01, 0.02, 0.03, 0.04]],
  ])('of %j names round values from 0 on', (values, ticks) => {
    const scale = linearScale(values);
    expect(scale.ticks.map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
    expect(scale.position(0)).toBe(0);
    expect(scale.position(scale.ticks.at(-1) ?? 0)).toBeCloseTo(1);
  });

  test('of zeros does not divide by zero', () => {
    expect(linearScale([0]).position(0)).toBe(0);
  });
});

describe('a logarithmic scale', () => {
  test('names the powers around its values', () => {
    expect(logScale([1, 256], 2).ticks).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
    expect(logScale([0.5, 120], 10).ticks).toEqual([0.1, 1, 10, 100, 1000]);
  });

  test('gives each power the same room', () => {
    const { position } = logScale([1, 1000], 10);
    expect([1, 10, 100, 1000].map(position)).toEqual([
      0,
      expect.closeTo(1 / 3),
      expect.closeTo(2 / 3),
      expect.closeTo(1),
    ]);
  });
});

test('a chart draws each point, higher values higher up, and shows no markup of names', () => {
  const svg = drawChart({
    title: 'a < b',
    x: { title: 'x', scale: linearScale([2]) },
    y: { title: 'y', scale: linearScale([10]) },
    series: [
      {
        name: 'R&D',
        points: [
          [0, 0],
          [2, 10],
        ],
        colour: 0,
      },
    ],
  });
  expect(svg).toContain('a &lt; b');
  expect(svg).toContain('R&amp;D');
  const dots = [...svg.matchAll(/<circle class="c0" cx="([\d.]+)" cy="([\d.]+)"/g)];
  expect(dots.map(([, x, y]) => [Number(x), Number(y)])).toEqual([
    [68, 372],
    [736, 100],
  ]);
});

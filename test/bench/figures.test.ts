/** The arithmetic of the benchmarks: order statistics, goals, and how tables show them. */
import { describe, expect, test } from '@jest/globals';
import { median, percentile } from '../../scripts/bench/lib/statistics.js';
import { figure, figureText, markdownTable, terminalTable } from '../../scripts/bench/lib/table.js';

describe('statistics', () => {
  test('the median of an odd number of values is the one in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
  });

  test('a percentile is a value that was measured, up to the largest', () => {
    const values = Array.from({ length: 200 }, (_, index) => index);
    expect(percentile(values, 0.99)).toBe(198);
    expect(percentile([3], 0.99)).toBe(3);
  });

  test('nothing has no percentile', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('a figure', () => {
  test.each([
    [0.95, { atLeast: 0.95 }, '0.95 ✓ (≥ 0.95)'],
    [0.94, { atLeast: 0.95 }, '0.94 ✗ (≥ 0.95)'],
    [1.8, { atMost: 1.8 }, '1.80 ✓ (≤ 1.8)'],
    [1.9, { atMost: 1.8 }, '1.90 ✗ (≤ 1.8)'],
  ])('%s beside its goal', (value, goal, text) => {
    expect(figureText(figure(value, 2, goal))).toBe(text);
  });

  test('that could not be measured is not shown as a number, nor as a failure', () => {
    expect(figureText(figure(NaN, 2, { atLeast: 1 }))).toBe('–');
  });
});

const table = {
  title: 'Reads',
  note: 'two rounds',
  columns: ['a second', 'ratio'],
  rows: [
    { title: 'bare', figures: [figure(1000, 0), undefined] },
    { title: 'service', figures: [figure(990.4, 0), figure(0.99, 2)] },
  ],
};

test('a table on the terminal has aligned columns', () => {
  expect(terminalTable(table).split('\n')).toEqual([
    'Reads (two rounds)',
    '         a second  ratio',
    'bare         1000      –',
    'service       990   0.99',
  ]);
});

test('a table in Markdown is as wide as its widest cells', () => {
  expect(markdownTable(table).split('\n')).toEqual([
    '|         | a second | ratio |',
    '| ------- | -------- | ----- |',
    '| bare    | 1000     | –     |',
    '| service | 990      | 0.99  |',
  ]);
});

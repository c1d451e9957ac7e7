/** What a terminal shows of a text: its width, what is cut off, and what is not obeyed. */
import { describe, expect, test } from '@jest/globals';
import { drawChart } from '../../client/cli/chart.js';
import { someOf } from '../../client/cli/choices.js';
import { type Column, formatTable } from '../../client/cli/table.js';
import { fit, oneLine, printable, safeJson, widthOf } from '../../client/cli/text.js';
import { distance, duration, moment } from '../../client/cli/time.js';

describe('text', () => {
  test.each([
    ['plain', 5],
    ['', 0],
    ['日本語', 6],
    ['é', 1],
    ['e\u0301', 1],
    ['👍', 2],
    ['👨‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['한국', 4],
    ['a\u200bb', 2],
  ])('%j is %i columns wide', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 4, 'too…'],
    ['日本語日本語', 6, '日本…'],
    ['👨‍👩‍👧👨‍👩‍👧', 3, '👨‍👩‍👧…'],
  ])('%j cut to %i is %j', (text, width, cut) => {
    expect(fit(text, width)).toBe(cut);
    expect(widthOf(fit(text, width))).toBeLessThanOrEqual(width);
  });

  test('that a terminal would obey is shown, not obeyed', () => {
    expect(printable('\u001b[2Jgone\u0007\u009b31m\r\u007f')).toBe(
      '\ufffd[2Jgone\ufffd\ufffd31m\ufffd\ufffd',
    );
    expect(printable('safe \u202eevas\u2069')).toBe('safe \ufffdevas\ufffd');
    expect(printable('tab\tand\nline')).toBe('tab\tand\nline');
    expect(oneLine('  two\r\n lines\t')).toBe('two lines');
  });

  test('in JSON stays what it is, and a terminal obeys none of it', () => {
    const hostile = { text: '\u001b[2J\u009b31m\u202e\u007f' };
    const written = safeJson(hostile);
    expect(JSON.parse(written)).toEqual(hostile);
    expect(printable(written)).toBe(written);
  });
});

describe('a table', () => {
  const rows = [
    {
      id: 'id_0123456789',
      name: 'Überraschung',
      note: 'what it is about, at some length',
      kind: 'one',
    },
    { id: 'id_9876543210', name: '日本', note: 'short', kind: 'two' },
  ];
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    { title: 'name', value: ({ name }) => name },
    { title: 'note', value: ({ note }) => note, brief: ({ note }) => note },
    { title: 'kind', value: ({ kind }) => kind, isMinor: true },
    { title: 'id', value: ({ id }) => id, isWhole: true },
  ];
  const shown = (width: number | undefined) =>
    formatTable(rows, columns, { columns: width, paint: (_style, text) => text });

  test('is whole where nobody looks', () => {
    expect(shown(undefined)).toBe(
      [
        'NAME          NOTE                              KIND  ID',
        'Überraschung  what it is about, at some length  one   id_0123456789',
        '日本          short                             two   id_9876543210',
      ].join('\n'),
    );
  });

  test.each([120, 67, 60, 50, 40])('fits a terminal of %i columns, with its ids whole', (width) => {
    const lines = shown(width).split('\n');
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    for (const { id } of rows) expect(shown(width)).toContain(id);
  });

  test('cuts the widest column first, then leaves out what is minor', () => {
    expect(shown(60).split('\n')[1]).toBe(
      'Überraschung  what it is about, at som…  one   id_0123456789',
    );
    expect(shown(50)).not.toContain('KIND');
  });

  test('becomes blocks where it cannot fit', () => {
    expect(shown(24).split('\n').slice(0, 4)).toEqual([
      'NAME  Überraschung',
      'NOTE  what it is about, at some length',
      'KIND  one',
      'ID    id_0123456789',
    ]);
  });
});

describe('a chart', () => {
  const hour = 3_600_000;
  const at = (hours: number) => new Date(Date.UTC(2026, 10, 2) + hours * hour).toISOString();

  test.each([200, 80, 40, 20])(
    'of a week by the hour fits %i columns, and keeps its peak',
    (width) => {
      const points = Array.from({ length: 168 }, (_, index) => ({
        timestamp: at(index),
        value: index === 77 ? 1234.5 : 100,
      }));
      const lines = drawChart(points, hour, width);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(lines[0]).toMatch(/^1235 ┤ *█+$/);
    },
  );

  test('leaves room for the steps without a point', () => {
    const points = [
      { timestamp: at(0), value: 10 },
      { timestamp: at(3), value: 5 },
    ];
    expect(drawChart(points, hour, 40)).toEqual([
      '10 ┤████',
      '   ┤████',
      '   ┤████',
      '   ┤████',
      ' 5 ┤████        ████',
      '   ┤████        ████',
      '   ┤████        ████',
      '   ┤████        ████',
      ' 0 ┼────────────────',
      '    2026-11-02 00:00:00Z',
    ]);
  });

  test('of nothing but zeros is empty, and of tiny values is not', () => {
    const of = (...values: number[]) =>
      drawChart(
        values.map((value, index) => ({ timestamp: at(index), value })),
        hour,
        80,
      ).join('\n');
    expect(of(0, 0, 0)).not.toMatch(/[▁-█]/);
    expect(of(1000, 1)).toContain('▁');
  });
});

describe('times', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['30d', 2_592_000_000],
  ])('%s is %i ms', (text, milliseconds) => {
    expect(duration(text)).toBe(milliseconds);
  });

  test.each(['', '5', 'h', '1w', '-1h', '1.5h', '99999999d'])('%j is no duration', (text) => {
    expect(() => duration(text)).toThrow('a number and a unit');
  });

  test('are written as a date, a time, or how long ago', () => {
    expect(moment('2026-11-02')).toBe('2026-11-02T00:00:00.000Z');
    expect(moment('2026-11-02T10:30:00+01:00')).toBe('2026-11-02T09:30:00.000Z');
    expect(Math.abs(Date.now() - 90 * 60_000 - Date.parse(moment('90m')))).toBeLessThan(10_000);
    expect(() => moment('yesterday')).toThrow('how long ago');
    expect(() => moment('2026-13-45')).toThrow('how long ago');
  });

  test('are read as a distance in their largest unit', () => {
    const now = Date.UTC(2026, 10, 2);
    const from = (ms: number) => distance(new Date(now + ms).toISOString(), now);
    expect([
      from(-500),
      from(-61_000),
      from(-7_300_000),
      from(86_400_000 * 3),
      distance(null),
    ]).toEqual(['0s ago', '1m ago', '2h ago', 'in 3d', '–']);
  });
});

test('a list of names takes those that there are, in any order, each once', () => {
  const read = someOf(['read', 'write', 'delete']);
  expect(read('write, read,write')).toEqual(['read', 'write']);
  expect(() => read('read,rite')).toThrow("'rite' is none of read, write, delete.");
});

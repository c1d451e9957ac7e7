/** The formatting of text, tables and times, and the parsing of options. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { wrapDefinition, wrapHelp } from '../../client/cli/help-text.js';
import { listParser } from '../../client/cli/option-parsers.js';
import { type Column, formatTable } from '../../client/cli/table.js';
import {
  displayWidth,
  escapeReply,
  escapeUnprintable,
  oneLine,
  truncate,
} from '../../client/cli/text.js';
import { formatRelativeTime, parseDuration, parseTime } from '../../client/cli/time.js';
import { firstUnprintable, hostileName, unprintable } from '../helpers/text/unprintable.js';
import { plainText } from './plain-text.js';

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
    expect(displayWidth(text)).toBe(width);
  });

  test.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long', 4, 'too…'],
    ['日本語日本語', 6, '日本…'],
    ['👨‍👩‍👧👨‍👩‍👧', 3, '👨‍👩‍👧…'],
  ])('%j truncated to %i is %j', (text, width, cut) => {
    expect(truncate(text, width)).toBe(cut);
    expect(displayWidth(truncate(text, width))).toBeLessThanOrEqual(width);
  });

  test('is escaped where a terminal would interpret or hide it', () => {
    expect(firstUnprintable(escapeUnprintable(unprintable.join('')))).toBeUndefined();
    expect(escapeUnprintable('\u001b[2Jgone\n\u009b31m')).toBe('\\u001b[2Jgone\\u000a\\u009b31m');
    expect(escapeUnprintable('Zürich, 日本語, 👍')).toBe('Zürich, 日本語, 👍');
    expect(oneLine('  two\r\n lines\t')).toBe('two lines');
  });

  test('of a reply keeps line breaks, tabs and zero-width joiners', () => {
    const reply = 'one\n\ttwo 👨\u200d👩\u200d👧 می\u200cخواهم';
    expect(escapeReply(reply)).toBe(reply);
    expect(escapeReply('a\u001b[2J\u202e\u200b\r\n')).toBe('a\\u001b[2J\\u202e\\u200b\r\n');
    expect(escapeReply('over\rwritten\r\r\n')).toBe('over\\u000dwritten\\u000d\r\n');
  });

  test('in JSON is escaped, not changed', () => {
    const hostile = { [hostileName]: `\\${hostileName}` };
    const written = escapeUnprintable(JSON.stringify(hostile));
    expect(JSON.parse(written)).toEqual(hostile);
    expect(firstUnprintable(written)).toBeUndefined();
  });
});

describe('help', () => {
  const help = `
Two lines of prose that are one paragraph, as the source is wrapped for
80 columns.
  /home/me/a/path

Examples:
  agent-hosting agents invoke support-bot --session chat-77 "And when is it?" > answer.txt

Exit codes:
  0    success
  130  interrupted by Ctrl-C, or by anything else that interrupts`;

  test('is wrapped by words; commands stay commands, and descriptions stay in their column', () => {
    expect(wrapHelp(help, 46)).toEqual([
      '',
      'Two lines of prose that are one paragraph, as',
      'the source is wrapped for 80 columns.',
      '  /home/me/a/path',
      '',
      'Examples:',
      '  agent-hosting agents invoke support-bot \\',
      '    --session chat-77 "And when is it?" \\',
      '    > answer.txt',
      '',
      'Exit codes:',
      '  0    success',
      '  130  interrupted by Ctrl-C, or by anything',
      '       else that interrupts',
    ]);
  });

  test('puts descriptions below their terms if they do not fit beside them', () => {
    expect(wrapDefinition('  --session <id>  ', 'the session of the message', 30)).toEqual([
      '  --session <id>',
      '      the session of the',
      '      message',
    ]);
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
    { title: 'note', value: ({ note }) => note, shortValue: ({ note }) => note },
    { title: 'kind', value: ({ kind }) => kind, hideIfNarrow: true },
    { title: 'id', value: ({ id }) => id, neverTruncate: true },
  ];
  const shown = (width: number | undefined) =>
    formatTable(rows, columns, width).map(plainText).join('\n');

  test('is not truncated without a terminal', () => {
    expect(shown(undefined)).toBe(
      [
        'NAME          NOTE                              KIND  ID',
        'Überraschung  what it is about, at some length  one   id_0123456789',
        '日本          short                             two   id_9876543210',
      ].join('\n'),
    );
  });

  test.each([120, 67, 60, 50, 40])('fits a terminal of %i columns, with complete ids', (width) => {
    const lines = shown(width).split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    for (const { id } of rows) expect(shown(width)).toContain(id);
  });

  test('truncates the widest column first, then hides minor ones', () => {
    expect(shown(60).split('\n')[1]).toBe(
      'Überraschung  what it is about, at som…  one   id_0123456789',
    );
    expect(shown(50)).not.toContain('KIND');
  });

  test('becomes blocks if it cannot fit', () => {
    expect(shown(24).split('\n').slice(0, 4)).toEqual([
      'NAME  Überraschung',
      'NOTE  what it is about, at some length',
      'KIND  one',
      'ID    id_0123456789',
    ]);
  });
});

describe('times', () => {
  const now = Date.UTC(2026, 10, 2);

  beforeEach(() => {
    jest.useFakeTimers({ now });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['30d', 2_592_000_000],
  ])('%s is %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(['', '5', 'h', '1w', '-1h', '1.5h', '99999999d'])('%j is not a duration', (text) => {
    expect(() => parseDuration(text)).toThrow('a number and a unit');
  });

  test('are parsed from a date, a time, or how long ago', () => {
    expect(parseTime('2026-11-02')).toBe('2026-11-02T00:00:00.000Z');
    expect(parseTime('2026-11-02T10:30:00+01:00')).toBe('2026-11-02T09:30:00.000Z');
    expect(parseTime('90m')).toBe(new Date(now - 90 * 60_000).toISOString());
    expect(() => parseTime('yesterday')).toThrow('how long ago');
    expect(() => parseTime('2026-13-45')).toThrow('how long ago');
  });

  test('are formatted relative to now in their largest unit', () => {
    const from = (ms: number) => formatRelativeTime(new Date(now + ms).toISOString());
    expect([
      from(-500),
      from(-61_000),
      from(-7_300_000),
      from(86_400_000 * 3),
      formatRelativeTime(null),
    ]).toEqual(['0s ago', '1m ago', '2h ago', 'in 3d', '–']);
  });
});

test('a list accepts allowed values in any order, and removes duplicates', () => {
  const read = listParser(['read', 'write', 'delete']);
  expect(read('write, read,write')).toEqual(['read', 'write']);
  expect(() => read('read,rite')).toThrow("'rite' is not one of read, write, delete.");
});

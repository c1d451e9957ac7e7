/** What the benchmarks read from profiles of Node and of PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import {
  type CpuProfile,
  folderOf,
  type Place,
  summarise,
} from '../../scripts/bench/profile/cpu-profile.js';
import { shortStatement } from '../../scripts/bench/profile/statements.js';

const frame = (functionName: string, url: string) => ({
  functionName,
  url,
  lineNumber: 4,
  columnNumber: 0,
});

/** `invoke` calls `query`, which calls itself; then nothing is to be done. */
const profile: CpuProfile = {
  startTime: 1_000,
  nodes: [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 5] },
    { id: 2, callFrame: frame('invoke', 'server/operations/invoke.ts'), children: [3] },
    { id: 3, callFrame: frame('query', 'node_modules/pg/lib/query.js'), children: [4] },
    { id: 4, callFrame: frame('query', 'node_modules/pg/lib/query.js') },
    { id: 5, callFrame: frame('(idle)', '') },
  ],
  samples: [2, 3, 4, 5, 2],
  timeDeltas: [0, 10, 20, 30, 100],
};

const placeOf = ({
  functionName: name,
  url: file,
  lineNumber,
}: ReturnType<typeof frame>): Place => ({
  name,
  file,
  line: lineNumber + 1,
});

describe('a CPU profile', () => {
  test('gives each function the time until the next sample, and a function that calls itself its time once', () => {
    const { functions } = summarise(profile, placeOf, { from: 0, to: 10_000 });
    expect(functions).toEqual([
      { title: 'query pg/lib/query.js:5', self: 50, total: 50 },
      { title: 'invoke server/operations/invoke.ts:5', self: 10, total: 60 },
    ]);
  });

  test('is summed up by package and folder, without what was idle', () => {
    const { folders, busy } = summarise(profile, placeOf, { from: 0, to: 10_000 });
    expect(busy).toBe(60);
    expect(folders).toEqual([
      { title: 'pg', self: 50, total: 50 },
      { title: 'server/operations', self: 10, total: 60 },
    ]);
  });

  test('counts what is between two times only', () => {
    const { busy } = summarise(profile, placeOf, { from: 1_010, to: 1_030 });
    expect(busy).toBe(20);
  });

  test.each([
    ['server/http/steps/host.ts', 'server/http'],
    ['server/app.ts', 'server'],
    ['node_modules/@prisma/client/runtime/client.mjs', '@prisma/client'],
    ['node_modules/a/node_modules/b/index.js', 'b'],
    ['node:internal/streams/writable', 'node:internal/streams'],
    ['node:events', 'node:events'],
  ])('%s belongs to %s', (file, folder) => {
    expect(folderOf({ name: 'any', file, line: 1 })).toBe(folder);
  });
});

describe('a statement in one line', () => {
  test('is cut off where it gets long', () => {
    expect(shortStatement('SELECT  1\n  FROM agents', 12)).toBe('SELECT 1 FR…');
  });

  test('of many tables is named after those that it writes', () => {
    const statement = `WITH held AS (SELECT 1 FROM a FOR UPDATE OF a),
      b AS (INSERT INTO b SELECT 1 ON CONFLICT (id) DO UPDATE SET n = 1), c AS (DELETE FROM c) UPDATE d SET n = 2`;
    expect(shortStatement(statement)).toBe('WITH … INSERT INTO b, DELETE FROM c, UPDATE d');
  });
});

/** The classification of PostgreSQL errors. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { locateBinaries } from '../../server/embedded-postgres/binaries.js';
import { driverError, isStoreUnavailable } from '../../server/postgres/errors.js';
import { faultOf, sqlstateClasses } from '../../server/postgres/sqlstates.js';

/** The appendix of the manual is generated from a file that PostgreSQL installs. */
const { postgres } = await locateBinaries();
const appendix = await readFile(path.join(postgres, '../../share/postgresql/errcodes.txt'), 'utf8');

describe('the table', () => {
  test('has every class of the appendix, by its title, and the one of older releases', () => {
    const sections = [...appendix.matchAll(/^Section: Class (\w\w) - (.+?)( \(.*\))?$/gm)];
    const titles = sections.map(([, code = '', title = '']) => [code, title] as const);
    expect(titles.length).toBeGreaterThan(40);
    const known = Object.entries(sqlstateClasses).map(([code, { title }]) => [code, title]);
    expect(Object.fromEntries(known)).toEqual({
      ...Object.fromEntries(titles),
      '72': 'Snapshot Failure',
    });
  });

  test('has exceptions only for codes that exist', () => {
    const codes = new Set(appendix.match(/^\w{5}(?= +[EWS] )/gm));
    const exceptions = Object.values(sqlstateClasses).flatMap(({ except = {} }) =>
      Object.keys(except),
    );
    expect(exceptions.filter((code) => !codes.has(code))).toEqual([]);
  });

  test.each(
    Object.entries({
      database: '08006 25006 28P01 3D000 40001 40P01 53100 53300 55P03 57014 57P01 58030 XX001',
      service: '22P02 23505 25P02 42601 42P01 55000 P0001',
    }),
  )('blames the %s', (fault, codes) => {
    for (const code of codes.split(' ')) expect([code, faultOf(code)]).toEqual([code, fault]);
  });

  test.each(['EPIPE', 'P2010', 'P1001', '', 'ZZ000'])('does not classify %p', (code) => {
    expect(faultOf(code)).toBeUndefined();
  });
});

describe('an error is recognised', () => {
  const fullDisk = {
    originalCode: '53100',
    originalMessage: 'could not extend file',
    kind: 'postgres',
  };
  const ofAdapter = (cause: object) =>
    Object.assign(new Error('postgres'), { name: 'DriverAdapterError', cause });

  test.each([
    ['as pg throws it', Object.assign(new Error('could not extend file'), { code: '53100' })],
    ['as the adapter throws it, at BEGIN and COMMIT', ofAdapter(fullDisk)],
    [
      'as Prisma throws it for a raw statement',
      Object.assign(new Error('Raw query failed'), {
        code: 'P2010',
        meta: { driverAdapterError: ofAdapter(fullDisk) },
      }),
    ],
  ])('%s', (_, error) => {
    expect(isStoreUnavailable(error)).toBe(true);
    expect(driverError(error)).toMatchObject({ code: '53100', message: 'could not extend file' });
  });

  test("without a code, by the adapter's name for it", () => {
    expect(isStoreUnavailable(ofAdapter({ kind: 'ConnectionClosed' }))).toBe(true);
    expect(isStoreUnavailable(ofAdapter({ kind: 'InconsistentColumnData' }))).toBe(false);
  });

  test('and a faulty statement stays an internal error', () => {
    expect(isStoreUnavailable(ofAdapter({ ...fullDisk, originalCode: '42601' }))).toBe(false);
  });
});

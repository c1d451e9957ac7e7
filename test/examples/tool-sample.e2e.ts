/** The tool in docs/long-runs-and-approvals.md runs unchanged, and has its effect once for each key. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../server/lib/net/free-port.js';
import { type BareDatabase, createBareDatabase, query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { type Program, startCommand } from '../helpers/programs/process.js';
import { bundleSample, sampleIn } from '../helpers/programs/samples.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const token = 'Bearer a-token-of-yours';
let database: BareDatabase;
let program: Program;
let url: string;

beforeAll(async () => {
  const code = sampleIn('docs/long-runs-and-approvals.md', 'tool');
  database = await createBareDatabase();
  for (const [, table = ''] of code.matchAll(/^\/\/ (CREATE TABLE .*)$/gm)) {
    await query(database.url, table);
  }
  const folder = await temporaryFolder();
  const port = await freePort();
  url = `http://127.0.0.1:${port}/orders/5512/refund`;
  program = startCommand(process.execPath, [await bundleSample({ folder, code })], {
    cwd: folder,
    environment: { PORT: String(port), DATABASE_URL: database.url, SHOP_TOKEN: token },
  });
  await eventually(() => fetch(url, { method: 'POST' }));
});

afterAll(async () => {
  await program.end('SIGKILL');
  await database.drop();
});

interface Call {
  key?: string;
  authorization?: string;
  reason?: string | null;
}

async function refund({ key, authorization = token, reason = 'It is blue.' }: Call) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ reason }),
  });
  return { status: response.status, text: await response.text() };
}

async function refundsMade(): Promise<number> {
  return (await query(database.url, 'SELECT FROM refunds')).length;
}

test('calls with the same key, also at the same time, have one effect and one result', async () => {
  const before = await refundsMade();
  const calls = Array.from({ length: 8 }, () => refund({ key: 'req_1.call_1' }));
  const [first, ...others] = [...(await Promise.all(calls)), await refund({ key: 'req_1.call_1' })];
  expect(first).toEqual({ status: 200, text: expect.stringMatching(/^\{"refund":"\d+"\}$/) });
  for (const other of others) expect(other).toEqual(first);
  expect(await refundsMade()).toBe(before + 1);
});

test('another call has an effect of its own', async () => {
  const before = await refundsMade();
  const results = [await refund({ key: 'req_2.call_1' }), await refund({ key: 'req_2.call_2' })];
  expect(new Set(results.map(({ text }) => text)).size).toBe(2);
  expect(await refundsMade()).toBe(before + 2);
});

test('a call that failed leaves nothing, so its repeat has the effect', async () => {
  const before = await refundsMade();
  expect(await refund({ key: 'req_3.call_1', reason: null })).toMatchObject({ status: 500 });
  expect(await refundsMade()).toBe(before);
  expect(await refund({ key: 'req_3.call_1' })).toMatchObject({ status: 200 });
  expect(await refundsMade()).toBe(before + 1);
});

test('a call without the token or without a key has no effect', async () => {
  const before = await refundsMade();
  expect(await refund({ key: 'req_4.call_1', authorization: 'Bearer other' })).toMatchObject({
    status: 401,
  });
  expect(await refund({})).toMatchObject({ status: 400 });
  expect(await refundsMade()).toBe(before);
});

/** How the service log shows errors, and what it leaves out. */
import { expect, test } from '@jest/globals';
import { createLog } from '../../server/config/log.js';
import { eventually } from '../helpers/eventually.js';
import { firstUnprintable, hostileName } from '../helpers/text/unprintable.js';

function logged(error: unknown): Record<string, unknown> {
  const lines: string[] = [];
  createLog('info', { write: (line) => void lines.push(line) }).error({ err: error }, 'it failed');
  const { err } = JSON.parse(lines[0] ?? '{}') as { err: Record<string, unknown> };
  return err;
}

test('an error is logged with its code, its stack and its causes', () => {
  const cause = Object.assign(new TypeError('connect refused'), { code: 'ECONNREFUSED' });
  const { stack, ...rest } = logged(new Error('no answer', { cause }));
  expect(stack).toContain('log.test');
  expect(rest).toMatchObject({
    type: 'Error',
    message: 'no answer',
    cause: { type: 'TypeError', code: 'ECONNREFUSED', message: 'connect refused' },
  });
});

test('other properties of an error are not logged', () => {
  const cause = Object.assign(new Error('bad answer'), { config: { apiKey: 'sk-inner' } });
  const error = Object.assign(new Error('refused', { cause }), {
    headers: { authorization: 'Bearer sk-outer' },
    detail: 'Key (name)=(sk-detail) already exists.',
  });
  expect(JSON.stringify(logged(error))).not.toContain('sk-');
});

test('a cycle of causes is logged once', () => {
  const error = new Error('chicken');
  error.cause = new Error('egg', { cause: error });
  expect(logged(error)).toMatchObject({ message: 'chicken', cause: { message: 'egg' } });
});

test('values other than errors are logged too', () => {
  expect(logged('just a text')).toMatchObject({ message: 'just a text' });
});

test('text from a tenant cannot forge a log line or control a terminal', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  log.child({ agent: hostileName }).info({ path: hostileName }, hostileName);
  expect(firstUnprintable(lines.join(''))).toBeUndefined();
  expect(lines.join('').match(/\n/g)).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    agent: hostileName,
    path: hostileName,
    msg: hostileName,
  });
});

test('errors that differ only in the request are written once a second, with the number of the others', async () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  for (let n = 1; n <= 800; n += 1) {
    log.info({ request_id: `req_${n}` }, 'request');
    log.error({ request_id: `req_${n}`, err: new Error('no answer') }, 'it failed');
    if (n <= 3) log.error({ worker_pid: n }, 'a worker died');
    if (n <= 2) log.warn('The database does not respond.');
  }
  const written = () =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg !== 'request');
  const first = [
    { msg: 'it failed', request_id: 'req_1' },
    { msg: 'a worker died', worker_pid: 1 },
    { msg: 'The database does not respond.', level: 'warn' },
    { msg: 'a worker died', worker_pid: 2 },
    { msg: 'a worker died', worker_pid: 3 },
  ];
  expect(lines).toHaveLength(800 + first.length);
  expect(written()).toMatchObject(first);
  await eventually(() => {
    expect(written()).toHaveLength(first.length + 2);
  });
  const [failure, hang] = written().slice(first.length);
  expect(failure).toMatchObject({
    request_id: 'req_800',
    repeated: 798,
    err: { message: 'no answer' },
  });
  // Nothing was left out between the two.
  expect(hang).toMatchObject({ msg: 'The database does not respond.' });
  expect(hang).not.toHaveProperty('repeated');
});

/** A database failure is a 503 with Retry-After and one log line, wherever in a request it happens. */
import { describe, expect, test } from '@jest/globals';
import { withConnectTimeout } from '../helpers/database/database.js';
import type { Answered } from '../helpers/service/api.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { eventually } from '../helpers/eventually.js';
import { errorResponse, useProxy } from '../helpers/servers/database-proxy.js';
import { useAgent, useInstance, useService, useTenant } from '../helpers/service/service.js';

const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);
const agent = useAgent(tenant);
const proxy = useProxy(service);
/** Nothing else connects through it. */
const ownProxy = useProxy(service);
const proxied = useInstance(service, () => ({ DATABASE_URL: proxy.url }));

const update = (api = tenant.api) =>
  api.call('updateAgent', { path: { agent_id: agent.id }, body: { temperature: Math.random() } });
const invoke = (headers: Record<string, string> = {}) =>
  tenant.api.call('invokeAgent', {
    path: { agent_id: agent.id },
    body: { message: 'Hi' },
    headers,
  });

interface LoggedFault {
  level: string;
  cause_code?: string;
  cause_message?: string;
  err?: { stack?: string };
}

/** The log entries of the request, without the access log. */
function loggedOf({ headers }: Answered<unknown>, log: string[]): LoggedFault[] {
  const id = headers.get('x-request-id') ?? '';
  return log
    .map((line) => JSON.parse(line) as LoggedFault & { request_id?: string; msg: string })
    .filter(({ request_id, msg }) => request_id === id && msg !== 'request');
}

async function expectUnavailable(
  answer: Answered<unknown>,
  code: string,
  log = service.log,
): Promise<void> {
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(answer.headers.get('retry-after')).toBe('2');
  // A line like one of the last second is written when the second is over.
  const logged = await eventually(() => {
    const found = loggedOf(answer, log);
    expect(found).toMatchObject([{ level: 'error', cause_code: code }]);
    return found;
  });
  expect(JSON.stringify(logged)).not.toMatch(/stack|node_modules/);
}

describe('503', () => {
  test.each(['53100', '53200', '57014', '40P01', 'XX001'])(
    'when a statement fails with %s',
    async (code) => {
      const answer = await whileFailing(service.database, 'agents', { code }, () => update());
      await expectUnavailable(answer, code);
    },
  );

  test.each(['53100', '57P01'])('when a commit fails with %s', async (code) => {
    const fault = { code, at: 'commit' } as const;
    const answer = await whileFailing(service.database, 'agents', fault, () => update());
    await expectUnavailable(answer, code);
  });

  test('when a transaction cannot begin', async () => {
    await update(proxied.api(tenant.key));
    const ready = Buffer.from('Z\0\0\0\u0005I');
    const outOfMemory = errorResponse('ERROR', '53200', 'out of memory');
    proxy.tamper((sent) => (sent.includes('BEGIN\0') ? Buffer.concat([outOfMemory, ready]) : sent));
    const answer = await update(proxied.api(tenant.key));
    proxy.tamper(undefined);
    await expectUnavailable(answer, '53200', proxied.log);
  });

  test('when a raw statement of a transaction fails', async () => {
    const answer = await whileFailing(service.database, 'invocations', { code: '53100' }, () =>
      invoke({ Prefer: 'respond-async' }),
    );
    await expectUnavailable(answer, '53100');
  });

  test('when the outcome of an invocation cannot be recorded', async () => {
    const answer = await whileFailing(service.database, 'invocations', { code: '53100' }, () =>
      invoke(),
    );
    await expectUnavailable(answer, '53100');
  });
});

test('500, with its stack in the log, when a statement is wrong', async () => {
  const answer = await whileFailing(service.database, 'agents', { code: '42601' }, () => update());
  expect(answer.status).toBe(500);
  const [logged] = loggedOf(answer, service.log);
  expect(logged?.err?.stack).toContain('    at ');
});

test('an outage that fails hundreds of requests logs a line a second, with the number of the others', async () => {
  const linesOf = () =>
    proxied.log
      .slice(before)
      .map((line) => JSON.parse(line) as { level: string; msg: string; repeated?: number })
      .filter(({ msg }) => msg.startsWith('The service cannot take the request now'));
  await update(proxied.api(tenant.key));
  const before = proxied.log.length;
  await proxy.cut();
  const started = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => update(proxied.api(tenant.key))),
  );
  await proxy.restore();
  const failed = answers.filter(({ status }) => status === 503).length;
  expect(failed).toBeGreaterThan(150);
  await eventually(() => {
    const counted = linesOf().map(({ repeated = 0 }) => 1 + repeated);
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(failed);
  });
  // The connection fails in a few ways, each of which is a kind.
  const seconds = (performance.now() - started) / 1000;
  expect(linesOf().length).toBeLessThan(6 * (seconds + 1));
});

test('a start survives a session for notifications that begins too slowly', async () => {
  ownProxy.strandNext('agent-hosting-service listener');
  const { url, log } = await service.another({
    DATABASE_URL: withConnectTimeout(ownProxy.url, 1),
  });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(log.filter((line) => line.includes('waiting for the database'))).toEqual([
    expect.stringMatching(/Cannot open the database at .*: timeout expired/),
  ]);
});

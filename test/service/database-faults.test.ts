/** A database failure is a 503 with Retry-After and one log line, wherever in a request it happens. */
import { describe, expect, test } from '@jest/globals';
import type { Answered } from '../helpers/service/api.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { errorResponse, useProxy } from '../helpers/servers/database-proxy.js';
import { useAgent, useInstance, useService, useTenant } from '../helpers/service/service.js';

const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);
const agent = useAgent(tenant);
const proxy = useProxy(service);
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

function expectUnavailable(answer: Answered<unknown>, code: string, log = service.log): void {
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  expect(answer.headers.get('retry-after')).toBe('2');
  const logged = loggedOf(answer, log);
  expect(logged).toMatchObject([{ level: 'error', cause_code: code }]);
  expect(JSON.stringify(logged)).not.toMatch(/stack|node_modules/);
}

describe('503', () => {
  test.each(['53100', '53200', '57014', '40P01', 'XX001'])(
    'when a statement fails with %s',
    async (code) => {
      const answer = await whileFailing(service.database, 'agents', { code }, () => update());
      expectUnavailable(answer, code);
    },
  );

  test.each(['53100', '57P01'])('when a commit fails with %s', async (code) => {
    const fault = { code, at: 'commit' } as const;
    const answer = await whileFailing(service.database, 'agents', fault, () => update());
    expectUnavailable(answer, code);
  });

  test('when a transaction cannot begin', async () => {
    await update(proxied.api(tenant.key));
    const ready = Buffer.from('Z\0\0\0\u0005I');
    const outOfMemory = errorResponse('ERROR', '53200', 'out of memory');
    proxy.tamper((sent) => (sent.includes('BEGIN\0') ? Buffer.concat([outOfMemory, ready]) : sent));
    const answer = await update(proxied.api(tenant.key));
    proxy.tamper(undefined);
    expectUnavailable(answer, '53200', proxied.log);
  });

  test('when a raw statement of a transaction fails', async () => {
    const answer = await whileFailing(service.database, 'invocations', { code: '53100' }, () =>
      invoke({ Prefer: 'respond-async' }),
    );
    expectUnavailable(answer, '53100');
  });

  test('when the outcome of an invocation cannot be recorded', async () => {
    const answer = await whileFailing(service.database, 'invocations', { code: '53100' }, () =>
      invoke(),
    );
    expectUnavailable(answer, '53100');
  });
});

test('500, with its stack in the log, when a statement is wrong', async () => {
  const answer = await whileFailing(service.database, 'agents', { code: '42601' }, () => update());
  expect(answer.status).toBe(500);
  const [logged] = loggedOf(answer, service.log);
  expect(logged?.err?.stack).toContain('    at ');
});

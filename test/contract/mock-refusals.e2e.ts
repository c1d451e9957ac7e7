/** The mock and the service reject an invalid request with the same status and body. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { useFixture } from '../helpers/service/fixture.js';
import { startMock } from '../helpers/servers/mock-server.js';
import { type Account, openAccount } from '../fuzz/account.js';
import { operationOf, operations } from '../fuzz/contract.js';
import { type Answer, type FuzzRequest, transportTo } from '../fuzz/http.js';
import { useFuzzedService } from '../fuzz/service.js';
import { shortRun } from '../fuzz/settings.js';
import { validTemplates } from '../fuzz/template.js';
import { violationsOf } from '../fuzz/violations/violations.js';

const service = useFuzzedService();
const mock = useFixture(startMock, ({ stop }) => stop());
const transports = useFixture(
  () => Promise.resolve({ service: transportTo(service.url), mock: transportTo(mock.url) }),
  (opened) => {
    opened.service.close();
    opened.mock.close();
  },
);

/** The mock accepts any key with every permission. */
const knownToTheService = /^key: (unknown|revoked|unpermitted)$/;

const casesEach = 2;

async function expectSameRefusal(request: FuzzRequest, name: string): Promise<void> {
  const answers = await Promise.all([transports.service(request), transports.mock(request)]);
  const [expected, actual] = answers.map(seen);
  expect({ name, ...actual }).toEqual({ name, ...expected });
  expect(expected?.status).toBeGreaterThanOrEqual(400);
}

function seen({ status, body, headers }: Answer) {
  const { allow, 'content-type': type, 'www-authenticate': authenticate } = headers;
  return { status, body, allow, type, authenticate };
}

let account: Promise<Account> | undefined;

describe('a mistake gets the same response from the mock and from the service', () => {
  test.each(operations)('$operationId', async (operation) => {
    account ??= openAccount(service, transports.service);
    const { resolve } = await account;
    const violations = violationsOf(operation).filter(({ name }) => !knownToTheService.test(name));
    for (const { name, values, apply } of violations) {
      const broken = fc.tuple(validTemplates(operation), values);
      const samples = fc.sample(broken, { numRuns: casesEach, seed: shortRun.seed });
      for (const [template, value] of samples) {
        await expectSameRefusal(resolve(apply(template, value)).request, name);
      }
    }
  });

  test.each([
    ['an unknown path', 'GET', '/v1/nothing'],
    ['a path outside the API', 'GET', '/nothing'],
    ['another case', 'GET', '/V1/agents'],
    ['a slash at the end', 'GET', '/v1/agents/'],
    ['a path that cannot be decoded', 'GET', '/v1/agents/%zz'],
    ['a host in the path', 'GET', '//evil.example/v1/agents'],
    ['a path traversal in the docs', 'GET', '/docs/..%2f..%2fpackage.json'],
    ['another method', 'POST', '/docs'],
    [
      'a log range that ends before it starts',
      'GET',
      '/v1/agents/echo/logs?start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z',
    ],
    [
      'too many buckets',
      'GET',
      '/v1/agents/echo/metrics?metric=throughput&granularity=1m&start_time=2020-01-01T00:00:00Z&end_time=2026-01-01T00:00:00Z',
    ],
  ])('%s', async (name, method, target) => {
    account ??= openAccount(service, transports.service);
    const { main } = await account;
    const operation = operationOf('listAgents');
    const key = main.key ?? '';
    await expectSameRefusal(
      { operation, method, target, path: {}, query: {}, headers: {}, key },
      name,
    );
  });
});

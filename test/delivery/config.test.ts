/** Webhook settings of the operator. */
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../server/config/config.js';
import { parsePortRange } from '../../server/lib/net/port-range.js';

test('by default the service delivers webhooks itself, to the usual ports', () => {
  expect(loadConfig({}).webhooks).toEqual({
    deliverHere: true,
    ports: undefined,
    caFile: undefined,
    hostConcurrency: 16,
  });
});

test('delivery, ports, certificates and the concurrency per host can be configured', () => {
  const { webhooks } = loadConfig({
    WORKER: 'off',
    WEBHOOK_PORTS: '443, 8000-8999',
    WEBHOOK_CA_FILE: '/etc/acme.pem',
    WEBHOOK_HOST_CONCURRENCY: '100',
  });
  expect(webhooks).toEqual({
    deliverHere: false,
    ports: [
      { first: 443, last: 443 },
      { first: 8000, last: 8999 },
    ],
    caFile: '/etc/acme.pem',
    hostConcurrency: 100,
  });
});

test.each([
  [{ WORKER: 'no' }, "WORKER must be one of on, off, not 'no'."],
  [{ WEBHOOK_HOST_CONCURRENCY: '0' }, 'WEBHOOK_HOST_CONCURRENCY must be'],
  [{ WEBHOOK_PORTS: '443,http' }, 'WEBHOOK_PORTS must list ports or ranges'],
])('%j is rejected, naming the variable', (environment, problem) => {
  expect(() => loadConfig(environment)).toThrow(problem);
});

test.each(['', '0', '65536', '90-80', '1-', '-1', '443 ', '1e3', 'https'])(
  "'%s' is not a port or a range",
  (text) => {
    expect(parsePortRange(text)).toBeUndefined();
  },
);

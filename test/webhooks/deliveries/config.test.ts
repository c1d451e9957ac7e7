/** Webhook settings of the operator. */
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../../server/config/config.js';

test('by default the service delivers webhooks itself', () => {
  expect(loadConfig({}).webhooks).toEqual({
    deliverHere: true,
    caFile: undefined,
    hostConcurrency: 16,
  });
});

test('delivery, certificates and the concurrency per host can be configured', () => {
  const { webhooks } = loadConfig({
    WORKER: 'off',
    WEBHOOK_CA_FILE: '/etc/acme.pem',
    WEBHOOK_HOST_CONCURRENCY: '100',
  });
  expect(webhooks).toEqual({
    deliverHere: false,
    caFile: '/etc/acme.pem',
    hostConcurrency: 100,
  });
});

test.each([
  [{ WORKER: 'no' }, "WORKER must be one of on, off, not 'no'."],
  [{ WEBHOOK_HOST_CONCURRENCY: '0' }, 'WEBHOOK_HOST_CONCURRENCY must be'],
])('%j is rejected, naming the variable', (environment, problem) => {
  expect(() => loadConfig(environment)).toThrow(problem);
});

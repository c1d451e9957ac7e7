/** The service under test. */
import { type TestService, useService } from '../helpers/service/service.js';

export function useFuzzedService(): TestService {
  return useService({
    // Webhooks are created, but nothing is delivered.
    WORKER: 'off',
    // The fuzzer sets an address for each request.
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
}

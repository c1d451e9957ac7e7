/** The service as the fuzzer needs it. */
import { type TestService, useService } from '../helpers/service.js';

export function useFuzzedService(): TestService {
  return useService({
    // Webhooks are made, but nothing is sent to them.
    WORKER: 'off',
    // The fuzzer names an address for each request.
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
}

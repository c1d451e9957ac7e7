/** A live service for the tests of a file. */
import { afterAll, beforeAll } from '@jest/globals';
import { startTestService, type TestService } from '../helpers/service/service.js';

export function useService(
  environment: Record<string, string> = {},
): Pick<TestService, 'url' | 'database' | 'tenant'> {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(environment);
  });
  afterAll(() => service.stop());
  return {
    get url() {
      return service.url;
    },
    get database() {
      return service.database;
    },
    tenant: (options) => service.tenant(options),
  };
}

/** Nobody gets to anything that is not theirs, whichever operation they try. */
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../server/http/routes.js';
import { fingerprint } from '../helpers/database-state.js';
import { useService, useTenant } from '../helpers/service.js';
import { thingsOf, validCall } from '../helpers/valid-call.js';
import { walkAsIntruders } from './isolation-walk.js';

const service = useService({
  WORKER: 'off',
  // The contract's examples name this provider.
  ANTHROPIC_API_KEY: 'not used',
});
const tenant = useTenant(service);

walkAsIntruders({ service, tenant });

describe('the walk proves something', () => {
  test.each(routes)('$operationId gets through for the owner', async (route) => {
    const things = await thingsOf(service, tenant);
    const { status } = await tenant.api.call(route.operationId, validCall(route, things));
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(300);
  });

  test('a change would be noticed', async () => {
    const { id } = await tenant.newAgent();
    const before = await fingerprint(service.database);
    await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 2 },
    });
    expect(await fingerprint(service.database)).not.toEqual(before);
  });
});

/** With policies that refuse everybody, nobody learns more than without: what is not theirs is not there. */
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../server/http/routes.js';
import { createAuthority } from '../helpers/certificates.js';
import { createFiles } from '../helpers/files.js';
import { useFixture } from '../helpers/fixture.js';
import { type Tenant, useService } from '../helpers/service.js';
import { thingsOf, validCall } from '../helpers/valid-call.js';
import { walkAsIntruders } from '../security/isolation-walk.js';

const service = useService({ WORKER: 'off', ANTHROPIC_API_KEY: 'not used' });
/** Each of whose agents has every setting on, and takes nothing over plain http. */
const tenant = useFixture(async (): Promise<Tenant> => {
  const owner = await service.tenant();
  const files = await createFiles();
  const secret = await files.write('secret', 'a secret that has at least 32 bytes');
  const policy = {
    auth: { type: 'jwt', secret: `\${file:${secret}}`, roles: ['admin'] },
    security: {
      enforceHttps: true,
      hsts: { enabled: true, maxAge: 60 },
      ipWhitelist: { enabled: true, addresses: ['203.0.113.7'] },
      mtls: { enabled: true, caCert: await files.write('ca.pem', createAuthority('Clients').cert) },
      rateLimit: { enabled: true, requests: 1, window: '1d' },
    },
    mfa: { enabled: true, operations: ['update', 'delete'] },
  };
  return { ...owner, newAgent: (agent) => owner.newAgent({ policy, ...agent }) };
});

walkAsIntruders({ service, tenant });

describe('the walk proves something', () => {
  test.each(routes.filter(({ path }) => path.includes('{agent_id}')))(
    '$operationId is refused to the owner by the policy',
    async (route) => {
      const things = await thingsOf(service, tenant);
      const { status } = await tenant.api.call(route.operationId, validCall(route, things));
      expect(status).toBe(403);
    },
  );
});

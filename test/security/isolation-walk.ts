/**
 * Walks through every operation of the contract as everybody who must not get through, and looks whether they did. The
 * operations come from the route table, so a new one joins by itself.
 */
import { describe, expect, test } from '@jest/globals';
import type { Route } from '../../generated/operations.js';
import { routes } from '../../server/http/routes.js';
import { generateApiKey } from '../../server/lib/api-key.js';
import { everyPermission } from '../../server/lib/permissions.js';
import type { Answered } from '../helpers/api.js';
import { fingerprint } from '../helpers/database-state.js';
import { useFixture } from '../helpers/fixture.js';
import type { Tenant, TestService } from '../helpers/service.js';
import { type Names, thingsOf, validCall } from '../helpers/valid-call.js';

export interface Stage {
  service: TestService;
  /** Whose things the intruders are after. */
  tenant: Tenant;
}

interface Intruder {
  who: string;
  /** The bearer; undefined for none. */
  key: (stage: Stage, route: Route) => Promise<string | undefined>;
  answer: 401 | 403 | 'as if there were nothing';
}

const intruders: Intruder[] = [
  { who: 'no key', key: () => Promise.resolve(undefined), answer: 401 },
  { who: 'a malformed key', key: () => Promise.resolve('ahs_nonsense'), answer: 401 },
  { who: 'a key that was never issued', key: () => Promise.resolve(generateApiKey()), answer: 401 },
  {
    who: 'a revoked key',
    key: async ({ service, tenant }) => {
      const { id, key } = await tenant.newKey();
      await service.database.prisma.apiKey.update({
        where: { id },
        data: { revokedAt: new Date() },
      });
      return key;
    },
    answer: 401,
  },
  {
    who: 'an expired key',
    key: async ({ tenant }) => (await tenant.newKey({ expiresAt: new Date(Date.now() - 1) })).key,
    answer: 401,
  },
  {
    who: 'a key that lacks the permission',
    key: async ({ tenant }, { permission }) => {
      const permissions = everyPermission.filter((other) => other !== permission);
      return (await tenant.newKey({ permissions })).key;
    },
    answer: 403,
  },
  {
    who: "another account's key",
    key: async ({ service }) => (await service.tenant()).key,
    answer: 'as if there were nothing',
  },
  {
    who: 'a key scoped to another agent',
    key: async ({ tenant }) => {
      const { id } = await tenant.newAgent();
      return (await tenant.newKey({ agentId: id })).key;
    },
    answer: 'as if there were nothing',
  },
];

/** Declares the tests. What the intruders are after is made once, since nothing of it may change. */
export function walkAsIntruders(stage: Stage): void {
  const { service, tenant } = stage;
  const things = useFixture(() => thingsOf(service, tenant));

  describe.each(intruders)('$who', ({ key, answer }) => {
    test.each(routes)('gets nowhere with $operationId', async (route) => {
      const bearer = await key(stage, route);
      const before = await fingerprint(service.database);
      const reply = await service.api(bearer).call(route.operationId, validCall(route, things));
      if (answer === 'as if there were nothing') expectNothingSeen(route, reply, things);
      else expect(reply.status).toBe(answer);
      expect(await fingerprint(service.database)).toEqual(before);
    });
  });
}

/** What is addressed does not exist for the caller; a list is a list of other things. */
function expectNothingSeen({ statuses }: Route, reply: Answered<unknown>, things: Names): void {
  expect(reply.status).toBe(statuses.includes(404) ? 404 : 200);
  const seen = JSON.stringify(reply.body);
  const addressed = reply.status === 404 ? [] : Object.values(things);
  for (const id of addressed) expect(seen).not.toContain(id);
}

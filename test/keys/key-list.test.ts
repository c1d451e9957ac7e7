/** List API Keys: visibility, order, exact totals, and the last use of a key. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ApiKey } from '../../generated/api.js';
import type { Api } from '../helpers/service/api.js';
import { readPages } from '../helpers/service/pages.js';
import { insertKey } from '../helpers/database/rows.js';
import { useService } from '../helpers/service/service.js';

const sorts = [
  'created_at',
  '-created_at',
  'name',
  '-name',
  'last_used_at',
  '-last_used_at',
] as const;

const service = useService();

/** Keys with many equal names and times, some never used, some revoked. */
const someKeys = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'B', 'é', '~'),
    createdAt: fc.integer({ min: 0, max: 2 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day))),
    lastUsedAt: fc.option(
      fc.integer({ min: 0, max: 2 }).map((day) => new Date(Date.UTC(2026, 5, 1 + day))),
    ),
    revokedAt: fc.option(fc.constant(new Date(Date.UTC(2026, 6, 1))), { freq: 5 }),
  }),
  { maxLength: 15 },
);

describe('List API Keys', () => {
  test('sorts by every field in both directions, and pages of every size contain each key once', async () => {
    await fc.assert(
      fc.asyncProperty(
        someKeys,
        fc.constantFrom(...sorts),
        fc.integer({ min: 1, max: 5 }),
        async (keys, sort, limit) => {
          const tenant = await service.tenant();
          const listed = [await ownKeyOf(tenant.api)];
          for (const key of keys) {
            const id = await insertKey(service.database, tenant.accountId, key);
            if (key.revokedAt === null) listed.push(id);
          }
          const read = (size: number) =>
            readPages<ApiKey>(tenant.api, 'listApiKeys', size, { query: { sort } });
          const whole = await read(100);
          expect((await read(limit)).map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
          expect(whole.map(({ id }) => id).sort()).toEqual(listed.sort());
          expectSorted(whole, sort);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("filters by the agent's id or name; an unknown agent has no keys", async () => {
    const tenant = await service.tenant();
    const agent = await tenant.newAgent();
    const { id } = await tenant.newKey({ agentId: agent.id });
    for (const agent_id of [agent.id, agent.name]) {
      const { data, pagination } = await tenant.api.expect('listApiKeys', 200, {
        query: { agent_id },
      });
      expect(data.map((key) => key.id)).toEqual([id]);
      expect(pagination.total).toBe(1);
    }
    const { pagination } = await tenant.api.expect('listApiKeys', 200, {
      query: { agent_id: 'missing' },
    });
    expect(pagination.total).toBe(0);
  });

  test("returns only keys of the same agent to an agent's key", async () => {
    const tenant = await service.tenant();
    const [ours, theirs] = [await tenant.newAgent(), await tenant.newAgent()];
    const mine = await tenant.newKey({ agentId: ours.id });
    await tenant.newKey({ agentId: theirs.id });
    const api = service.api(mine.key);
    const { data, pagination } = await api.expect('listApiKeys', 200);
    expect(data.map(({ id }) => id)).toEqual([mine.id]);
    expect(pagination.total).toBe(1);
    const hidden = await api.expect('listApiKeys', 200, { query: { agent_id: theirs.id } });
    expect(hidden.pagination.total).toBe(0);
  });

  test.each([
    ['sort', 'permissions'],
    ['agent_id', 'Not A Name'],
    ['limit', '101'],
    ['revoked', 'true'],
  ])('400 naming %s for %s', async (parameter, value) => {
    const tenant = await service.tenant();
    const { error } = await tenant.api.expect('listApiKeys', 400, {
      query: { [parameter]: value },
    });
    expect(error.details?.map(({ field }) => field)).toEqual([parameter]);
  });

  test('shows the last use of a key, at the latest when the service has stopped', async () => {
    const tenant = await service.tenant();
    const { id, key } = await tenant.newKey();
    const instance = await service.another();
    await instance.api(key).expect('listAgents', 200);
    await instance.stop();
    const { data } = await tenant.api.expect('listApiKeys', 200);
    const used = data.find((record) => record.id === id);
    expect(Date.parse(used?.last_used_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(used?.created_at ?? ''),
    );
  });
});

async function ownKeyOf(api: Api): Promise<string> {
  const { data } = await api.expect('listApiKeys', 200);
  return data[0]?.id ?? '';
}

function expectSorted(keys: ApiKey[], sort: (typeof sorts)[number]): void {
  const descending = sort.startsWith('-');
  const values = keys.map((key) => {
    if (sort.endsWith('name')) return key.name;
    return sort.endsWith('created_at') ? key.created_at : key.last_used_at;
  });
  const used = values.filter((value) => value !== null);
  const sorted = used.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const unused = values.filter((value) => value === null);
  expect(values).toEqual([...(descending ? sorted.reverse() : sorted), ...unused]);
}

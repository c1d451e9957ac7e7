/** List Agents: filters, order, exact totals, and pages that never overlap. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AgentSummary } from '../../generated/api.js';
import { newId } from '../../server/lib/data/typeid.js';
import { readPages } from '../helpers/service/pages.js';
import { type Tenant, useService } from '../helpers/service/service.js';

const sorts = ['created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name'] as const;

const service = useService();

/** Agents with many equal times, in random order. */
const someAgents = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9-]{0,4}$/),
    status: fc.constantFrom('running' as const, 'stopped' as const),
    createdAt: fc.integer({ min: 0, max: 3 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day))),
    updatedAt: fc.integer({ min: 0, max: 2 }).map((day) => new Date(Date.UTC(2026, 5, 1 + day))),
  }),
  { selector: ({ name }) => name, maxLength: 25 },
);

interface SomeAgent {
  name: string;
  status: 'running' | 'stopped';
  createdAt: Date;
  updatedAt: Date;
}

async function tenantWith(agents: SomeAgent[]): Promise<Tenant> {
  const tenant = await service.tenant();
  const { accountId } = tenant;
  await service.database.prisma.agent.createMany({
    data: agents.map((agent) => ({
      ...agent,
      id: newId('agent'),
      accountId,
      model: 'builtin/echo',
    })),
  });
  return tenant;
}

describe('List Agents', () => {
  test('returns each agent as a summary, newest first, ten per page', async () => {
    const tenant = await service.tenant();
    const made: string[] = [];
    for (let count = 0; count < 12; count += 1) made.push((await tenant.newAgent()).id);
    const { data, pagination } = await tenant.api.expect('listAgents', 200);
    expect(data.map(({ id }) => id)).toEqual(made.reverse().slice(0, 10));
    expect(pagination).toEqual({ limit: 10, offset: 0, total: 12, has_more: true });
    expect(Object.keys(data[0] ?? {})).toEqual(['id', 'name', 'status', 'created_at']);
  });

  test('sorts by every field in both directions, and pages of every size contain each agent once', async () => {
    await fc.assert(
      fc.asyncProperty(
        someAgents,
        fc.constantFrom(...sorts),
        fc.integer({ min: 1, max: 7 }),
        async (agents, sort, limit) => {
          const tenant = await tenantWith(agents);
          const whole = await readPages<AgentSummary>(tenant.api, 'listAgents', 100, {
            query: { sort },
          });
          const inPages = await readPages<AgentSummary>(tenant.api, 'listAgents', limit, {
            query: { sort },
          });
          expect(inPages).toEqual(whole);
          expect(whole.map(({ name }) => name).sort()).toEqual(
            agents.map(({ name }) => name).sort(),
          );
          expectSorted(
            whole.map(({ name }) => sortValue(agents, name, sort)),
            sort.startsWith('-'),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  test('filters by status and by name, with matching totals', async () => {
    await fc.assert(
      fc.asyncProperty(someAgents, fc.nat(24), async (agents, chosen) => {
        const tenant = await tenantWith(agents);
        const stopped = await readPages<AgentSummary>(tenant.api, 'listAgents', 5, {
          query: { status: 'stopped' },
        });
        const expected = agents.filter(({ status }) => status === 'stopped');
        expect(stopped.map(({ name }) => name).sort()).toEqual(
          expected.map(({ name }) => name).sort(),
        );
        const name = agents[chosen]?.name ?? 'missing';
        const named = await readPages<AgentSummary>(tenant.api, 'listAgents', 5, {
          query: { name },
        });
        expect(named.map((agent) => agent.name)).toEqual(
          agents[chosen] === undefined ? [] : [name],
        );
      }),
      { numRuns: 10 },
    );
  });

  test("never shows another account's agents", async () => {
    const [ours, theirs] = [await service.tenant(), await service.tenant()];
    const { id } = await ours.newAgent();
    await theirs.newAgent();
    const { data, pagination } = await ours.api.expect('listAgents', 200);
    expect(data.map((agent) => agent.id)).toEqual([id]);
    expect(pagination.total).toBe(1);
  });

  test("returns only its own agent to an agent's key, whatever it filters by", async () => {
    const tenant = await service.tenant();
    const { id, name } = await tenant.newAgent();
    const other = await tenant.newAgent();
    const { key } = await tenant.newKey({ agentId: id });
    const api = service.api(key);
    const { data, pagination } = await api.expect('listAgents', 200);
    expect(data.map((agent) => agent.name)).toEqual([name]);
    expect(pagination.total).toBe(1);
    const hidden = await api.expect('listAgents', 200, { query: { name: other.name } });
    expect(hidden).toEqual({
      data: [],
      pagination: { limit: 10, offset: 0, total: 0, has_more: false },
    });
  });

  test('returns an empty page with the exact total for an offset past the end', async () => {
    const tenant = await service.tenant();
    await tenant.newAgent();
    const { data, pagination } = await tenant.api.expect('listAgents', 200, {
      query: { offset: 1_000_000 },
    });
    expect(data).toEqual([]);
    expect(pagination).toEqual({ limit: 10, offset: 1_000_000, total: 1, has_more: false });
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'ten'],
    ['limit', '1.5'],
    ['offset', '-1'],
    ['offset', '1000001'],
    ['sort', 'model'],
    ['sort', '+name'],
    ['status', 'asleep'],
    ['name', 'Not A Name'],
    ['color', 'red'],
  ])('400 naming %s for %s', async (parameter, value) => {
    const tenant = await service.tenant();
    const { error } = await tenant.api.expect('listAgents', 400, { query: { [parameter]: value } });
    expect(error.details?.map(({ field }) => field)).toEqual([parameter]);
  });
});

function sortValue(agents: SomeAgent[], name: string, sort: (typeof sorts)[number]): string {
  const agent = agents.find((candidate) => candidate.name === name);
  if (sort.endsWith('created_at')) return agent?.createdAt.toISOString() ?? '';
  return sort.endsWith('updated_at') ? (agent?.updatedAt.toISOString() ?? '') : name;
}

function expectSorted(values: string[], descending: boolean): void {
  const sorted = [...values].sort();
  expect(values).toEqual(descending ? sorted.reverse() : sorted);
}

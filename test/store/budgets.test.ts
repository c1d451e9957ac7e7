/** The counters of budgets: exact across instances, by the database's clock, and gone with their owners. */
import { describe, expect, test } from '@jest/globals';
import { createBudgetCounters, pruneBudgetWindows } from '../../server/store/accounts/budgets.js';
import { useConnections, useDatabase } from '../helpers/database.js';
import { insertAccount, insertAgent } from '../helpers/rows.js';

const fixture = useDatabase();
const secondInstance = useConnections(fixture);

const dayMs = 86_400_000;

const windowsOf = (ownerId: string) =>
  fixture.database.prisma.budgetWindow.findMany({ where: { ownerId } });

describe('the counter of a budget', () => {
  test('counts what 400 spend at once on two instances, for their agent and their account', async () => {
    const first = createBudgetCounters(fixture.database);
    const second = createBudgetCounters(secondInstance);
    const budgets = ['agent_a', 'acct_a'].map((ownerId) => ({ ownerId, windowMs: dayMs }));
    await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        // In one order and in the other, as different agents of an account may be.
        (index % 2 === 0 ? first : second).add(
          index % 3 === 0 ? budgets : budgets.toReversed(),
          index,
        ),
      ),
    );
    for (const { ownerId } of budgets) {
      expect(await windowsOf(ownerId)).toMatchObject([{ tokens: 79_800n }]);
    }
  });

  test('is used up when as much was used as there is, and not before', async () => {
    const { add, findUsedUp } = createBudgetCounters(fixture.database);
    const budget = { ownerId: 'agent_b', windowMs: dayMs, tokens: 10 };
    expect(await findUsedUp([budget])).toEqual([]);
    await add([budget], 9);
    expect(await findUsedUp([budget])).toEqual([]);
    await add([budget], 1);
    const [usedUp] = await findUsedUp([budget, { ...budget, ownerId: 'agent_c' }]);
    expect(usedUp?.ownerId).toBe('agent_b');
    expect((usedUp?.endsAt.getTime() ?? 1) % dayMs).toBe(0);
    expect(usedUp?.seconds).toBeGreaterThan(0);
    expect(usedUp?.seconds).toBeLessThanOrEqual(86_400);
  });

  test('is another one for another window, and for the next one', async () => {
    const { add, findUsedUp } = createBudgetCounters(fixture.database);
    const budget = { ownerId: 'agent_d', windowMs: dayMs, tokens: 10 };
    await add([budget], 10);
    expect(await findUsedUp([{ ...budget, windowMs: dayMs / 2 }])).toEqual([]);
    await fixture.database.pool.query(
      `UPDATE budget_windows SET ends_at = ends_at - interval '1 day' WHERE owner_id = 'agent_d'`,
    );
    expect(await findUsedUp([budget])).toEqual([]);
  });
});

test('windows that are over are pruned, in batches', async () => {
  const { prisma } = fixture.database;
  await prisma.budgetWindow.createMany({
    data: [1, 2, 3].map((day) => ({
      ownerId: 'agent_old',
      windowMs: dayMs,
      endsAt: new Date(day * dayMs),
      tokens: 1,
    })),
  });
  const before = new Date(3 * dayMs);
  expect(await pruneBudgetWindows(fixture.database, before, 1)).toBe(1);
  expect(await pruneBudgetWindows(fixture.database, before, 5)).toBe(1);
  expect(await windowsOf('agent_old')).toHaveLength(1);
});

test('windows go with the agent and with the account', async () => {
  const { database } = fixture;
  const accountId = await insertAccount(database);
  const [one, other] = [
    await insertAgent(database, accountId),
    await insertAgent(database, accountId),
  ];
  const { add } = createBudgetCounters(database);
  for (const ownerId of [accountId, one, other]) await add([{ ownerId, windowMs: dayMs }], 5);
  await database.prisma.agent.delete({ where: { id: one } });
  expect(await windowsOf(one)).toEqual([]);
  expect(await windowsOf(other)).toHaveLength(1);
  await database.prisma.account.delete({ where: { id: accountId } });
  expect([...(await windowsOf(other)), ...(await windowsOf(accountId))]).toEqual([]);
});

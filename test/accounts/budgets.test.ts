/** Budget counters: exact across instances, by the database's clock, and deleted with their agents. */
import { describe, expect, test } from '@jest/globals';
import { createBudgetCounters, pruneBudgetWindows } from '../../server/accounts/budgets.js';
import { useConnections, useDatabase } from '../helpers/database/database.js';
import { deleteAgent, insertAccount, insertAgent } from '../helpers/database/rows.js';

const fixture = useDatabase();
const secondInstance = useConnections(fixture);

const dayMs = 86_400_000;
const accountId = 'acct_a';

const windowsOf = (ownerId: string) =>
  fixture.database.prisma.budgetWindow.findMany({ where: { ownerId } });

describe('the counter of a budget', () => {
  test('counts 400 concurrent uses on two instances, for their agent and their account', async () => {
    const first = createBudgetCounters(fixture.database);
    const second = createBudgetCounters(secondInstance);
    const budgets = ['agent_a', accountId].map((ownerId) => ({ ownerId, windowMs: dayMs }));
    await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        // In both orders, as different agents of an account may lock them.
        (index % 2 === 0 ? first : second).add(
          accountId,
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
    const { add, findExhausted } = createBudgetCounters(fixture.database);
    const budget = { ownerId: 'agent_b', windowMs: dayMs, tokens: 10 };
    expect(await findExhausted(accountId, [budget])).toEqual([]);
    await add(accountId, [budget], 9);
    expect(await findExhausted(accountId, [budget])).toEqual([]);
    await add(accountId, [budget], 1);
    const [usedUp] = await findExhausted(accountId, [budget, { ...budget, ownerId: 'agent_c' }]);
    expect(usedUp?.ownerId).toBe('agent_b');
    expect((usedUp?.endsAt.getTime() ?? 1) % dayMs).toBe(0);
    expect(usedUp?.seconds).toBeGreaterThan(0);
    expect(usedUp?.seconds).toBeLessThanOrEqual(86_400);
  });

  test('is another one in another account', async () => {
    const { add, findExhausted } = createBudgetCounters(fixture.database);
    const budget = { ownerId: 'agent_e', windowMs: dayMs, tokens: 10 };
    await Promise.all([add(accountId, [budget], 10), add('acct_b', [budget], 9)]);
    expect(await findExhausted(accountId, [budget])).toHaveLength(1);
    expect(await findExhausted('acct_b', [budget])).toEqual([]);
  });

  test('is another one for another window, and for the next one', async () => {
    const { add, findExhausted } = createBudgetCounters(fixture.database);
    const budget = { ownerId: 'agent_d', windowMs: dayMs, tokens: 10 };
    await add(accountId, [budget], 10);
    expect(await findExhausted(accountId, [{ ...budget, windowMs: dayMs / 2 }])).toEqual([]);
    await fixture.database.pool.query(
      `UPDATE budget_windows SET ends_at = ends_at - interval '1 day' WHERE owner_id = 'agent_d'`,
    );
    expect(await findExhausted(accountId, [budget])).toEqual([]);
  });
});

test('expired windows are pruned in batches', async () => {
  const { prisma } = fixture.database;
  await prisma.budgetWindow.createMany({
    data: [1, 2, 3].map((day) => ({
      accountId,
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

test('windows are deleted with the agent, and those of the account and of other agents stay', async () => {
  const { database } = fixture;
  const owner = await insertAccount(database);
  const [one, other] = [await insertAgent(database, owner), await insertAgent(database, owner)];
  const { add } = createBudgetCounters(database);
  for (const ownerId of [owner, one, other]) await add(owner, [{ ownerId, windowMs: dayMs }], 5);
  await database.transaction((transaction) => deleteAgent(transaction, owner, one));
  expect(await windowsOf(one)).toEqual([]);
  expect(await windowsOf(other)).toHaveLength(1);
  expect(await windowsOf(owner)).toHaveLength(1);
});

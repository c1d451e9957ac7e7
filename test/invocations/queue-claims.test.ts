/** The queue of asynchronous invocations is claimed account by account, in turn. */
import { expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { InvocationQueue, markClaimedInvocations } from '../../server/invocations/queue.sql.js';
import { useDatabase } from '../helpers/database/database.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const fixture = useDatabase({ perTest: true });

const queue = () => new InvocationQueue({ database: fixture.database });

async function accountWith(count: number, { dueInMs = -1_000, sessionId = null as string | null }) {
  const accountId = await insertAccount(fixture.database);
  const agentId = await insertAgent(fixture.database, accountId);
  const ids = Array.from({ length: count }, () => newId('req'));
  await fixture.database.prisma.invocation.createMany({
    data: ids.map((id, index) => ({
      id,
      agentId,
      accountId,
      sessionId,
      status: 'queued' as const,
      message: 'Hi',
      availableAt: new Date(Date.now() + dueInMs + index),
    })),
  });
  return { accountId, agentId, ids };
}

test('accounts with due invocations take turns, in a cycle', async () => {
  const busy = await Promise.all([50, 1, 1].map((count) => accountWith(count, {})));
  await accountWith(5, { dueInMs: 60_000 });
  const accounts = busy.map(({ accountId }) => accountId).sort();
  const found: (string | undefined)[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    found.push(await queue().nextAccount(found.at(-1) ?? ''));
  }
  expect(found).toEqual([...accounts, accounts[0]]);
});

test('no account has a turn if nothing is due', async () => {
  const { accountId } = await accountWith(1, { dueInMs: 60_000 });
  expect(await queue().nextAccount('')).toBeUndefined();
  expect(await queue().nextAccount(accountId)).toBeUndefined();
});

test('concurrent workers share the invocations of an account, oldest first, without duplicates', async () => {
  const { accountId, ids } = await accountWith(30, {});
  const other = await accountWith(5, {});
  const first = await queue().claim(accountId, 3);
  expect(first.map(({ id }) => id).sort()).toEqual(ids.slice(0, 3));
  const claims = await Promise.all([1, 2, 3].map(() => queue().claim(accountId, 8)));
  const rest = await queue().claim(accountId, 100);
  const claimed = [first, ...claims, rest].flat().map(({ id }) => id);
  expect(claimed.sort()).toEqual(ids);
  expect(await queue().claim(other.accountId, 100)).toHaveLength(5);
});

test('only the first invocation of a session is claimed', async () => {
  const { accountId, ids } = await accountWith(3, { sessionId: 'chat' });
  const [claimed, ...others] = await queue().claim(accountId, 10);
  expect(claimed).toMatchObject({ id: ids[0], accountId });
  expect(others).toEqual([]);
  expect(await queue().claim(accountId, 10)).toEqual([]);
});

test('a worker that claims again what it still runs has another lease, and loses the first', async () => {
  const { accountId, ids } = await accountWith(1, {});
  const worker = queue();
  const [first] = await worker.claim(accountId, 1);
  await fixture.database.prisma.invocation.updateMany({
    where: { accountId },
    data: { availableAt: new Date(0) },
  });
  const [second] = await worker.claim(accountId, 1);
  if (!first || !second) throw new Error('It was not claimed twice.');
  expect([first.id, second.id]).toEqual([ids[0], ids[0]]);
  expect(await worker.begin(first)).toBe(false);
  expect(await worker.begin(second)).toBe(true);
  expect(await worker.renew([first, second])).toEqual(new Set([`${second.id} ${second.owner}`]));
});

test('only crashes since the last step count against a run', async () => {
  const { accountId, ids } = await accountWith(1, {});
  const { invocation: invocations } = fixture.database.prisma;
  await invocations.updateMany({ where: { accountId }, data: { attempts: 9 } });
  const worker = queue();
  const [claimed] = await worker.claim(accountId, 1);
  if (!claimed) throw new Error('It was not claimed.');
  await worker.begin(claimed);
  const attempts = async () =>
    (await invocations.findFirstOrThrow({ where: { accountId, id: ids[0] ?? '' } })).attempts;
  expect(await attempts()).toBe(10);
  expect(await markClaimedInvocations(fixture.database, accountId, [claimed])).toBe(1);
  expect(await attempts()).toBe(0);
});

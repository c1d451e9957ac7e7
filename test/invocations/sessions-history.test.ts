/** The history of a session: its latest exchanges, of its user only, bounded in bytes. */
import { beforeEach, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import {
  type HistoryMessage,
  readHistories,
} from '../../server/invocations/sessions/history.sql.js';
import type { Session } from '../../server/invocations/sessions/lease.sql.js';
import { createSessionLeases } from '../../server/invocations/sessions/sessions.js';
import { useDatabase } from '../helpers/database/database.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const fixture = useDatabase();

let session: Session;

beforeEach(async () => {
  const accountId = await insertAccount(fixture.database);
  const agentId = await insertAgent(fixture.database, accountId);
  session = { accountId, agentId, userId: null, sessionId: 'chat', environment: null };
});

/** An exchange for each length, which is that of the response. */
async function say(within: Session, ...lengths: number[]): Promise<void> {
  for (const [minute, length] of lengths.entries()) {
    const createdAt = new Date(minute * 60_000);
    const common = { ...within, requestId: 'req_1', createdAt };
    await fixture.database.prisma.memoryEntry.createMany({
      data: [
        { ...common, id: newId('mem'), role: 'user', content: `Question ${minute}` },
        { ...common, id: newId('mem'), role: 'agent', content: 'x'.repeat(length) },
      ],
    });
  }
}

const lengthsOf = (history: readonly HistoryMessage[] | null = null) =>
  history?.map(({ role, content }) => `${role} ${content.length}`);

async function read(session: Session, exchanges: number) {
  const request = { session, owner: 'owner', exchanges };
  return lengthsOf((await readHistories(fixture.database, [request])).get('owner'));
}

test.each([null, 'ann'])(
  'contains the latest exchanges of its user and one more, here %p',
  async (userId) => {
    const own = { ...session, userId };
    await say(own, 4, 5, 6, 7);
    await say({ ...session, userId: 'bob' }, 9);
    await say({ ...own, sessionId: 'another chat' }, 9);
    expect(await read(own, 2)).toEqual([
      'user 10',
      'agent 5',
      'user 10',
      'agent 6',
      'user 10',
      'agent 7',
    ]);
  },
);

test.each([null, 'ann'])('is that of its environment, with the user %p', async (userId) => {
  const production = { ...session, userId };
  const staging = { ...production, environment: 'staging' };
  await say(production, 1, 2);
  await say(staging, 3, 4);
  await say({ ...production, environment: 'draft' }, 5);
  expect(await read(production, 5)).toEqual(['user 10', 'agent 1', 'user 10', 'agent 2']);
  expect(await read(staging, 5)).toEqual(['user 10', 'agent 3', 'user 10', 'agent 4']);
  expect(await read({ ...production, environment: 'canary' }, 5)).toEqual([]);
});

test('contains complete exchanges, the latest ones, up to 1 MB', async () => {
  await say(session, 262_144, 262_144, 900_000, 10);
  expect(await read(session, 20)).toEqual(['user 10', 'agent 900000', 'user 10', 'agent 10']);
});

test('is empty for an agent without history', async () => {
  await say(session, 5);
  expect(await read(session, 0)).toEqual([]);
});

test('histories that are read at the same time are not mixed up', async () => {
  const users = [null, 'ann', 'bob'];
  const sessions = users.flatMap((userId) =>
    Array.from({ length: 10 }, (_, n) => ({ ...session, userId, sessionId: `chat ${n}` })),
  );
  for (const [index, each] of sessions.entries()) await say(each, 50, index, 100 + index);
  const leases = createSessionLeases(fixture.database);
  const histories = await Promise.all(
    sessions.map((each, index) =>
      leases.take({ session: each, owner: `owner ${index}`, exchanges: 1 + (index % 2) }),
    ),
  );
  expect(histories.map(lengthsOf)).toEqual(
    sessions.map((_, index) => [
      ...(index % 2 === 1 ? ['user 10', 'agent 50'] : []),
      'user 10',
      `agent ${index}`,
      'user 10',
      `agent ${100 + index}`,
    ]),
  );
});

/** Leases and histories of an agent's sessions are asked for together, and never together with another agent's. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { newId } from '../../server/lib/typeid.js';
import { createFairQueue } from '../../server/lib/fair-queue.js';
import { createTurns } from '../../server/lib/turns.js';
import { createHistories, createSessionLeases, type Session } from '../../server/store/sessions.js';
import { useDatabase } from '../helpers/database.js';
import { insertAccount, insertAgent } from '../helpers/rows.js';
import { observed } from '../helpers/statements.js';

const fixture = useDatabase();

let accountId: string;
let agentId: string;
let otherAgentId: string;

beforeEach(async () => {
  accountId = await insertAccount(fixture.database);
  agentId = await insertAgent(fixture.database, accountId);
  otherAgentId = await insertAgent(fixture.database, accountId);
});

const sessionsOf = (agent: string, count: number, userId: string | null = null): Session[] =>
  Array.from({ length: count }, (_, n) => ({ agentId: agent, userId, sessionId: `chat ${n}` }));

async function say(session: Session, ...lengths: number[]): Promise<void> {
  const common = { ...session, requestId: 'req_1' };
  for (const [minute, length] of lengths.entries()) {
    const createdAt = new Date(minute * 60_000);
    await fixture.database.prisma.memoryEntry.createMany({
      data: [
        { ...common, createdAt, id: newId('mem'), role: 'user', content: session.sessionId },
        { ...common, createdAt, id: newId('mem'), role: 'agent', content: 'x'.repeat(length) },
      ],
    });
  }
}

describe('leases', () => {
  test('of sessions that come together are taken by one statement, each by its owner', async () => {
    const { database, sent } = observed(fixture.database);
    const leases = createSessionLeases(database);
    const sessions = sessionsOf(agentId, 30);
    const taken = await Promise.all(sessions.map((session, n) => leases.take(session, `one ${n}`)));
    expect(taken).toEqual(sessions.map(() => true));
    expect(sent).toHaveLength(1);
    const again = sessions.map((session, n) => leases.take(session, `two ${n}`));
    expect(await Promise.all(again)).toEqual(sessions.map(() => false));
    const owners = await fixture.database.prisma.sessionLease.findMany({ where: { agentId } });
    expect(owners.map(({ owner }) => owner).sort()).toEqual(
      sessions.map((_, n) => `one ${n}`).sort(),
    );
    expect(owners.every(({ waited }) => waited)).toBe(true);
  });

  test('of sessions are renewed by one statement, and by their owners only', async () => {
    const { database, sent } = observed(fixture.database);
    const leases = createSessionLeases(database);
    const sessions = sessionsOf(agentId, 30);
    await Promise.all(sessions.map((session, n) => leases.take(session, `one ${n}`)));
    const renewals = sessions.map((session, n) =>
      leases.renew(session, `${n ? 'one' : 'two'} ${n}`),
    );
    expect(await Promise.all(renewals)).toEqual(sessions.map((_, n) => n > 0));
    expect(sent).toHaveLength(2);
  });

  test('that are free and that are not are told apart', async () => {
    const leases = createSessionLeases(fixture.database);
    const sessions = sessionsOf(agentId, 10);
    const [first] = sessions;
    if (!first) throw new Error('There are no sessions.');
    await leases.take(first, 'before');
    const taken = sessions.toReversed().map((session, n) => leases.take(session, `owner ${n}`));
    expect(await Promise.all(taken)).toEqual(sessions.map((_, n) => n < 9));
  });

  test('of one agent are not waited for by another', async () => {
    const leases = createSessionLeases(fixture.database);
    const [session] = sessionsOf(agentId, 1);
    const [other] = sessionsOf(otherAgentId, 1);
    if (!session || !other) throw new Error('There are no sessions.');
    await leases.take(session, 'owner');
    const client = new pg.Client({ connectionString: fixture.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM session_leases WHERE agent_id = $1 FOR UPDATE', [agentId]);
      const blocked = leases.take(session, 'another');
      expect(await leases.take(other, 'owner of the other')).toBe(true);
      await client.query('COMMIT');
      expect(await blocked).toBe(false);
    } finally {
      await client.end();
    }
  });
});

describe('histories', () => {
  test.each([null, 'ann'])('that are read together are each their own, user %p', async (userId) => {
    const sessions = sessionsOf(agentId, 20, userId);
    for (const session of sessions) await say(session, 5, 6, 7);
    await say({ agentId, userId: 'somebody else', sessionId: 'chat 0' }, 9);
    const { database, sent } = observed(fixture.database);
    const readHistory = createHistories(database, createTurns(), createFairQueue(2));
    const histories = await Promise.all(
      sessions.map((session) => readHistory({ ...session, accountId }, 2)),
    );
    expect(histories).toEqual(
      sessions.map(({ sessionId }) => [
        { role: 'user', content: sessionId },
        { role: 'agent', content: 'xxxxxx' },
        { role: 'user', content: sessionId },
        { role: 'agent', content: 'xxxxxxx' },
      ]),
    );
    expect(sent).toHaveLength(1);
  });

  test('that are long come whole, in a statement of their own', async () => {
    const [short, long, none] = sessionsOf(agentId, 3);
    if (!short || !long || !none) throw new Error('There are no sessions.');
    await say(short, 100);
    await say(long, 60_000, 60_000);
    const { database, sent } = observed(fixture.database);
    const readHistory = createHistories(database, createTurns(), createFairQueue(2));
    const histories = await Promise.all(
      [none, short, long].map((one) => readHistory({ ...one, accountId }, 20)),
    );
    const lengths = histories.map((history) => history.map(({ content }) => content.length));
    expect(lengths).toEqual([[], [6, 100], [6, 60_000, 6, 60_000]]);
    expect(sent).toHaveLength(2);
  });

  test('that are long wait for a slot of their account, and short ones for none', async () => {
    const [short, long] = sessionsOf(agentId, 2);
    if (!short || !long) throw new Error('There are no sessions.');
    await say(short, 100);
    await say(long, 60_000, 60_000);
    const slots = createFairQueue(2);
    // All that the account has.
    const release = await slots.enter(accountId);
    const { database, sent } = observed(fixture.database);
    const readHistory = createHistories(database, createTurns(), slots);
    const waiting = readHistory({ ...long, accountId }, 20);
    expect(await readHistory({ ...short, accountId }, 20)).toHaveLength(2);
    const before = sent.length;
    release();
    expect(await waiting).toHaveLength(4);
    expect(sent).toHaveLength(before + 1);
  });

  test('of agents that are to have none are not asked for', async () => {
    const [session] = sessionsOf(agentId, 1);
    if (!session) throw new Error('There are no sessions.');
    await say(session, 5);
    const { database, sent } = observed(fixture.database);
    expect(
      await createHistories(
        database,
        createTurns(),
        createFairQueue(2),
      )({ ...session, accountId }, 0),
    ).toEqual([]);
    expect(sent).toEqual([]);
  });
});

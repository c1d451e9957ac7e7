/** One invocation at a time holds the lease of a session. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Session } from '../../server/invocations/sessions/lease.sql.js';
import {
  createSessionLeases,
  type SessionLeases,
} from '../../server/invocations/sessions/sessions.js';
import { useDatabase } from '../helpers/database/database.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const fixture = useDatabase();

let session: Session;
let leases: SessionLeases;

beforeEach(async () => {
  const accountId = await insertAccount(fixture.database);
  const agentId = await insertAgent(fixture.database, accountId);
  session = { accountId, agentId, userId: null, sessionId: 'chat', environment: null };
  leases = createSessionLeases(fixture.database);
});

const take = async (owner: string, from = session, by = leases) =>
  (await by.take({ session: from, owner, exchanges: 0 })) !== null;

const stored = () =>
  fixture.database.prisma.sessionLease.findMany({
    where: { agentId: session.agentId },
    select: { owner: true, waited: true },
  });

test('the first one gets it, and the second marks it as waited for', async () => {
  expect(await take('first')).toBe(true);
  expect(await stored()).toEqual([{ owner: 'first', waited: false }]);
  expect(await take('second')).toBe(false);
  expect(await stored()).toEqual([{ owner: 'first', waited: true }]);
  expect(await take('third')).toBe(false);
  await leases.release({ session, owner: 'first' });
  expect(await take('second')).toBe(true);
});

test('its owner can take it again, although another one waits for it', async () => {
  expect(await take('first')).toBe(true);
  expect(await take('second')).toBe(false);
  expect(await take('first')).toBe(true);
  expect(await take('second')).toBe(false);
});

test('the same session id of another user is another session', async () => {
  expect(await take('first')).toBe(true);
  expect(await take('second', { ...session, userId: 'ann' })).toBe(true);
});

test('an expired lease goes to the next one, and is lost to its owner', async () => {
  await take('first', session, createSessionLeases(fixture.database, 0));
  expect(await take('second')).toBe(true);
  expect(await leases.renew({ session, owner: 'first' })).toBe(false);
  expect(await leases.renew({ session, owner: 'second' })).toBe(true);
  await leases.release({ session, owner: 'first' });
  expect(await stored()).toEqual([{ owner: 'second', waited: false }]);
});

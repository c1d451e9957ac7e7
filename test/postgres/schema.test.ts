import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { diffSchema } from '../../scripts/db/schema-diff.js';
import { newId } from '../../server/lib/data/typeid.js';
import { MIGRATIONS_DIRECTORY, SCHEMA_FILE } from '../../server/postgres/migrations/migrations.js';
import { createBareDatabase, useDatabase } from '../helpers/database/database.js';
import { purgeAll } from '../helpers/database/purging.js';
import {
  insertAccount,
  insertAgent,
  insertDeployment,
  insertKey,
  insertWebhook,
  deleteAgent,
} from '../helpers/database/rows.js';

const fixture = useDatabase();

const database = () => fixture.database;
const prisma = () => fixture.database.prisma;
const remove = (accountId: string, agentId: string) =>
  database().transaction((transaction) => deleteAgent(transaction, accountId, agentId));

test('the migrations produce exactly the Prisma schema', async () => {
  const scratch = await createBareDatabase();
  try {
    const difference = await diffSchema({
      schemaFile: SCHEMA_FILE,
      migrationsDirectory: MIGRATIONS_DIRECTORY,
      scratchUrl: scratch.url,
    });
    expect(difference).toBe('');
  } finally {
    await scratch.drop();
  }
});

test('every id or name column sorts by bytes, on any server', async () => {
  const { rows } = await database().pool.query<{ column: string }>(`
    SELECT c.table_name || '.' || c.column_name AS column
      FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type = 'text'
       AND (c.column_name IN ('id', 'name', 'version', 'environment') OR c.column_name LIKE '%\\_id')
       AND c.collation_name IS DISTINCT FROM 'C'`);
  expect(rows).toEqual([]);
});

test('every foreign key has an index that starts with it, so that deleting the parent scans no whole table', async () => {
  const { rows } = await database().pool.query(`
    SELECT conrelid::regclass AS table, conname
      FROM pg_constraint
     WHERE contype = 'f'
       AND NOT EXISTS (
         SELECT FROM pg_index
          WHERE indrelid = conrelid AND indpred IS NULL AND indkey[0] = conkey[1])`);
  expect(rows).toEqual([]);
});

describe('deployments', () => {
  test('only one is active per agent and environment', async () => {
    const agentId = await insertAgent(database(), await insertAccount(database()));
    await insertDeployment(database(), agentId);
    await insertDeployment(database(), agentId, { status: 'superseded' });
    await insertDeployment(database(), agentId, { environment: 'staging' });
    await expect(insertDeployment(database(), agentId)).rejects.toMatchObject({ code: 'P2002' });
  });

  test('one wins when ten are activated at once', async () => {
    const agentId = await insertAgent(database(), await insertAccount(database()));
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, () => insertDeployment(database(), agentId)),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a version label is used once per agent and environment', async () => {
    const agentId = await insertAgent(database(), await insertAccount(database()));
    const version = '1.0.0';
    await insertDeployment(database(), agentId, { version });
    await insertDeployment(database(), agentId, { version, environment: 'staging' });
    await expect(
      insertDeployment(database(), agentId, { version, status: 'superseded' }),
    ).rejects.toMatchObject({ code: 'P2002' });
  });
});

describe('an agent name', () => {
  test('is unique within its account only, and free again once the agent is deleted', async () => {
    const [one, other] = [await insertAccount(database()), await insertAccount(database())];
    const create = (accountId: string) =>
      prisma().agent.create({ data: { id: newId('agent'), accountId, name: 'bot', model: 'x/y' } });
    const agent = await create(one);
    await create(other);
    await expect(create(one)).rejects.toMatchObject({ code: 'P2002' });
    await remove(one, agent.id);
    await create(one);
  });
});

describe('deleting an agent', () => {
  test('deletes everything that belongs to it, and nothing else', async () => {
    const accountId = await insertAccount(database());
    const [agentId, neighbour] = [
      await insertAgent(database(), accountId),
      await insertAgent(database(), accountId),
    ];
    await fill(accountId, agentId);
    await fill(accountId, neighbour);
    await insertKey(database(), accountId);
    await insertWebhook(database(), accountId);

    await remove(accountId, agentId);
    await purgeAll(database());

    expect(await countsOf(agentId)).toEqual({
      deployments: 0,
      invocations: 0,
      sessionLeases: 0,
      logEntries: 0,
      memoryEntries: 0,
      usageDeltas: 0,
      usageRollups: 0,
      apiKeys: 0,
      webhooks: 0,
      mfaEnrolments: 0,
    });
    expect(new Set(Object.values(await countsOf(neighbour)))).not.toContain(0);
    expect(await prisma().apiKey.count({ where: { accountId, agentId: null } })).toBe(1);
    expect(await prisma().webhook.count({ where: { accountId, agentId: null } })).toBe(1);
  });

  test('keeps the pending events of account-wide webhooks', async () => {
    const accountId = await insertAccount(database());
    const agentId = await insertAgent(database(), accountId);
    const webhookId = await insertWebhook(database(), accountId);
    const id = newId('evt');
    await prisma().event.create({
      data: {
        id,
        accountId,
        agentId,
        requestId: newId('req'),
        type: 'agent.completed',
        body: Buffer.from('{}'),
      },
    });
    await prisma().delivery.create({ data: { accountId, eventId: id, webhookId } });
    await remove(accountId, agentId);
    expect(await prisma().delivery.count({ where: { eventId: id, status: 'pending' } })).toBe(1);
  });
});

test('memory is found by inflected words, and accepts very long texts', async () => {
  const accountId = await insertAccount(database());
  const agentId = await insertAgent(database(), accountId);
  const remember = (content: string) =>
    prisma().memoryEntry.create({
      data: {
        accountId,
        id: newId('mem'),
        agentId,
        requestId: newId('req'),
        role: 'user',
        content,
      },
    });
  const { id } = await remember('My shipments are always arriving late');
  await remember(Array.from({ length: 400_000 }, (_, word) => `w${word}`).join(' '));
  const { rows } = await database().pool.query(
    `SELECT id FROM memory_entries
      WHERE agent_id = $1 AND search @@ websearch_to_tsquery('english', $2)`,
    [agentId, 'shipment arrives'],
  );
  expect(rows).toEqual([{ id }]);
});

async function fill(accountId: string, agentId: string): Promise<void> {
  const requestId = newId('req');
  const now = new Date();
  const owner = { accountId, agentId };
  const first = await insertDeployment(database(), agentId, { status: 'superseded' });
  await insertDeployment(database(), agentId, { replacedId: first });
  await insertKey(database(), accountId, { agentId });
  await insertWebhook(database(), accountId, agentId);
  await prisma().$transaction([
    prisma().invocation.create({ data: { ...owner, id: requestId, status: 'succeeded' } }),
    prisma().sessionLease.create({
      data: { ...owner, sessionId: 's', owner: 'o', leaseUntil: now },
    }),
    prisma().logEntry.create({
      data: { ...owner, id: newId('log'), requestId, level: 'info', message: 'm', loggedAt: now },
    }),
    prisma().memoryEntry.create({
      data: { ...owner, id: newId('mem'), requestId, role: 'user', content: 'c' },
    }),
    prisma().usageDelta.create({ data: { ...owner, bucketStart: now, id: requestId } }),
    prisma().usageRollup.create({ data: { ...owner, bucketSeconds: 60, bucketStart: now } }),
    prisma().mfaEnrolment.create({
      data: { ...owner, sealedSecret: Buffer.from(randomBytes(40)) },
    }),
  ]);
}

async function countsOf(agentId: string): Promise<Record<string, number>> {
  const where = { agentId };
  return {
    deployments: await prisma().deployment.count({ where }),
    invocations: await prisma().invocation.count({ where }),
    sessionLeases: await prisma().sessionLease.count({ where }),
    logEntries: await prisma().logEntry.count({ where }),
    memoryEntries: await prisma().memoryEntry.count({ where }),
    usageDeltas: await prisma().usageDelta.count({ where }),
    usageRollups: await prisma().usageRollup.count({ where }),
    apiKeys: await prisma().apiKey.count({ where }),
    webhooks: await prisma().webhook.count({ where }),
    mfaEnrolments: await prisma().mfaEnrolment.count({ where }),
  };
}

/** `operator users erase`: removes a user from every table and index, and nothing of other users. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { eraseUser } from '../../server/users/users.js';
import { newId } from '../../server/lib/data/typeid.js';
import { accountContext } from '../../server/operator/context.js';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { recordHistory } from '../helpers/database/history.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { type Tenant, testSecrets } from '../helpers/service/service.js';
import { tablesContaining } from '../helpers/database/tables-containing.js';
import { streamed } from '../invocations/event-reader.js';
import { recordsOnceFinished, useServiceWithModel } from '../invocations/service-with-model.js';
import { calling } from '../helpers/model-provider/reply.js';
import { hang } from '../helpers/model-provider/failures.js';
import { answer, answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const fixture = useServiceWithModel();

const database = () => fixture.service.database;
const operator = () => operatorInProcess(fixture.service);

/** A separate account, so that a test counts only its own data. */
async function newTenant(): Promise<Tenant & { name: string }> {
  const tenant = await fixture.service.tenant();
  const { name } = await database().prisma.account.findUniqueOrThrow({
    where: { id: tenant.accountId },
  });
  return { ...tenant, name };
}

const newAgent = async ({ newAgent: make }: Tenant) => (await make({ model: 'local/llama3.2' })).id;

interface Said {
  text: string;
  user: string;
  session?: string;
  key?: string;
}

function call(agent_id: string, { text, user, session, key }: Said) {
  const session_id = session === undefined ? {} : { session_id: session };
  return {
    path: { agent_id },
    body: { message: text, context: { user_id: user, ...session_id, note: `of ${user}` } },
    headers: key === undefined ? {} : { prefer: 'respond-async', 'idempotency-key': key },
  };
}

const say = ({ api }: Tenant, agentId: string, said: Said) =>
  api.expect('invokeAgent', 200, call(agentId, said));

async function sayLater({ api }: Tenant, agentId: string, said: Said): Promise<string> {
  const { data } = await api.expect(
    'invokeAgent',
    202,
    call(agentId, { key: randomUUID(), ...said }),
  );
  return data.request_id;
}

async function erase({ name }: { name: string }, user: string) {
  const result = await operator().json('users', 'erase', user, '--yes', '--account', name);
  return (result as { erased: Record<string, number> }).erased;
}

async function found({ api }: Tenant, agentId: string, query: string): Promise<string[]> {
  const { data } = await api.expect('searchMemory', 200, {
    path: { agent_id: agentId },
    body: { query },
  });
  return data.map(({ content }) => content);
}

const nothing = {
  memory_entries: 0,
  invocations: 0,
  log_entries: 0,
  events: 0,
  stored_answers: 0,
  stream_events: 0,
  schedules: 0,
  run_steps: 0,
  sessions: 0,
  cancelled: 0,
};

describe('operator users erase', () => {
  test('removes what a crash left of an invocation, of which only the log of its tools exists', async () => {
    const tenant = await newTenant();
    const agentId = await newAgent(tenant);
    const entry = (user_id: string, text: string) => ({
      accountId: tenant.accountId,
      agentId,
      id: newId('log'),
      loggedAt: new Date(),
      level: 'info' as const,
      requestId: newId('req'),
      message: 'Tool refund called',
      metadata: { tool: 'refund', arguments: text, user_id },
    });
    const entries = [entry('grace', 'hers'), entry('ada', 'of the other')];
    await database().prisma.logEntry.createMany({ data: entries });
    expect(await erase(tenant, 'grace')).toEqual({ ...nothing, log_entries: 1 });
    const left = await database().prisma.logEntry.findMany({
      where: { agentId, message: 'Tool refund called' },
      orderBy: { id: 'asc' },
    });
    expect(left.map(({ metadata }) => metadata)).toEqual([
      { tool: 'refund' },
      { tool: 'refund', arguments: 'of the other', user_id: 'ada' },
    ]);
  });

  test('removes everything of a user from every table, and nothing of others', async () => {
    const tenant = await newTenant();
    const [one, other] = [await newAgent(tenant), await newAgent(tenant)];
    await insertWebhook(database(), tenant.accountId);
    const user = 'grace@hopper.example';
    fixture.provider.behave(answer(chatCompletions, ['You are a ', 'quagmirist.']));
    await say(tenant, one, { user, text: 'I am a xylophonist.', session: 'parlour-grace' });
    const key = randomUUID();
    const later = { user, text: 'Remind me of the xylophonist later.', key };
    await recordsOnceFinished(fixture.service, await sayLater(tenant, other, later));
    fixture.provider.behave(answer(chatCompletions, ['Yes, a ', 'parcel.']));
    await say(tenant, one, { user: 'ada', text: 'I have a parcel.', session: 'parlour-ada' });
    const stranger = await newTenant();
    const theirs = await newAgent(stranger);
    await say(stranger, theirs, { user, text: 'Here I am a trombonist.' });
    await database().pool.query(
      `INSERT INTO memory_embeddings (account_id, agent_id, entry_id, model, embedding, signature)
       SELECT account_id, agent_id, id, 'm', '{1}', B'1' FROM memory_entries WHERE agent_id = ANY ($1)`,
      [[one, other]],
    );
    expect(await found(tenant, one, 'xylophonists')).toHaveLength(1);
    expect(await tablesContaining(database(), 'xylophonist')).toEqual(['memory_entries']);
    expect(await tablesContaining(database(), 'quagmirist')).toEqual(['events', 'memory_entries']);

    expect(await erase(tenant, user)).toEqual({
      ...nothing,
      memory_entries: 4,
      invocations: 2,
      log_entries: 2,
      events: 2,
      stored_answers: 1,
    });
    for (const text of ['xylophon', 'quagmir', 'parlour-grace']) {
      expect(await tablesContaining(database(), text)).toEqual([]);
    }
    for (const query of ['xylophonist', 'quagmirist']) {
      expect(await found(tenant, one, query)).toEqual([]);
    }
    const { prisma } = database();
    const mine = { agentId: { in: [one, other] } };
    expect(await prisma.invocation.count({ where: { ...mine, userId: user } })).toBe(0);
    expect(await prisma.memoryEmbedding.count()).toBe(2);
    // Aggregated usage is not personal, and stays.
    expect(await prisma.invocation.count({ where: mine })).toBe(3);
    expect(await found(tenant, one, 'parcel')).toEqual(['Yes, a parcel.', 'I have a parcel.']);
    expect(await found(stranger, theirs, 'trombonist')).toEqual(['Here I am a trombonist.']);
    const ofAda = await prisma.invocation.findFirstOrThrow({ where: { ...mine, userId: 'ada' } });
    expect(ofAda).toMatchObject({ sessionId: 'parlour-ada', context: { note: 'of ada' } });
    // A repeat does not run again.
    const asked = fixture.provider.received.length;
    const { error } = await tenant.api.expect('invokeAgent', 409, call(other, later));
    expect(error.message).toContain('its user was erased');
    expect(fixture.provider.received).toHaveLength(asked);
    expect(await erase(tenant, user)).toEqual(nothing);
  });

  test('removes the stored events of a resumable stream', async () => {
    const tenant = await newTenant();
    const agent = await newAgent(tenant);
    fixture.provider.behave(answer(chatCompletions, ['A ', 'theremin.']));
    const said = call(agent, { user: 'clara', text: 'What do I play?' });
    const streamedCall = { ...said, headers: { 'idempotency-key': randomUUID() } };
    await streamed(fixture.service.url, tenant.key, streamedCall);
    expect(await erase(tenant, 'clara')).toMatchObject({ stored_answers: 1, stream_events: 2 });
    expect(await tablesContaining(database(), 'theremin')).toEqual([]);
    await tenant.api.expect('invokeAgent', 409, streamedCall);
  });

  test('cancels waiting and running invocations of the user', async () => {
    const tenant = await newTenant();
    const agent = await newAgent(tenant);
    fixture.provider.behave(hang);
    const said = { user: 'barbara', session: 'chat' };
    const running = await sayLater(tenant, agent, { ...said, text: 'First' });
    await fixture.provider.asked(1);
    const queued = await sayLater(tenant, agent, { ...said, text: 'Second' });
    expect(await erase(tenant, 'barbara')).toMatchObject({
      invocations: 2,
      cancelled: 2,
      memory_entries: 0,
    });
    for (const id of [running, queued]) {
      const { invocation } = await recordsOnceFinished(fixture.service, id);
      expect(invocation).toMatchObject({ errorCode: 'cancelled', userId: null, context: null });
    }
    await fixture.provider.received[0]?.closed;
    expect(fixture.provider.received[0]?.wasAborted()).toBe(true);
    expect(await tablesContaining(database(), 'barbara')).toEqual([]);
  });

  test('erases what agents were asked on behalf of the user, in the past and at the time', async () => {
    const tenant = await newTenant();
    const agents = [{ name: 'clerk', description: 'Knows more.' }];
    const options = { tools: { maxSteps: 8, agents } };
    const { id: boss } = await tenant.newAgent({ model: 'local/boss', options });
    await tenant.newAgent({ name: 'clerk', model: 'local/clerk' });
    const question = calling({ name: 'ask_clerk', arguments: { message: 'How is Dorothea?' } });
    fixture.provider.behave(question, 'Dorothea is well.');
    await say(tenant, boss, { user: 'dorothea', text: 'Hi' });
    fixture.provider.behave(question, hang);
    await sayLater(tenant, boss, { user: 'dorothea', text: 'Hi again' });
    await fixture.provider.asked(2);
    expect(await erase(tenant, 'dorothea')).toMatchObject({ invocations: 4, cancelled: 1 });
    expect(await tablesContaining(database(), 'orothea')).toEqual([]);
  });

  test('keeps a running message of a session out of memory, and erases the rest when repeated', async () => {
    const tenant = await newTenant();
    const agent = await newAgent(tenant);
    const held = answerLater(chatCompletions, ['Yes']);
    fixture.provider.behave(held.reply);
    const said = { user: 'annie', session: 'chat', text: 'Hi' };
    const asking = tenant.api.call('invokeAgent', call(agent, said));
    await fixture.provider.asked(1);
    const first = await erase(tenant, 'annie');
    expect(first).toMatchObject({ sessions: 1, memory_entries: 0 });
    held.finish();
    expect((await asking).status).toBe(503);
    const second = await erase(tenant, 'annie');
    expect(second).toMatchObject({ sessions: 0, memory_entries: 0 });
    expect((first['invocations'] ?? 0) + (second['invocations'] ?? 0)).toBe(1);
    expect(await tablesContaining(database(), 'annie')).toEqual([]);
  });

  test('can be interrupted and repeated, and each step is atomic', async () => {
    const tenant = await newTenant();
    const { id: agentId } = await tenant.newAgent();
    await insertWebhook(database(), tenant.accountId);
    const now = Date.now();
    const ids = await recordHistory(
      database(),
      { ...tenant, agentId },
      Array.from({ length: 30 }, (_, n) => ({
        // Some concurrently.
        at: now - 86_400_000 * Math.floor(n / 4),
        durationMs: 5,
        failed: false,
        userId: n % 3 === 0 ? 'katherine' : 'dorothy',
        said: [{ content: `orbit number ${n}`, role: 'user' as const }],
      })),
    );
    const { caller } = accountContext(database(), tenant.name, () => undefined);
    const parts = { database: database(), secrets: testSecrets, userId: 'katherine' };
    const run = async () => eraseUser({ ...parts, caller: await caller(), batch: 2, range: 3 });
    // The sixth step fails, as with a lost connection.
    await database().pool.query(`
      CREATE FUNCTION fail_later() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
        IF (SELECT count(*) FROM invocations WHERE user_id = 'katherine') < 5 THEN
          RAISE EXCEPTION 'failed on purpose' USING ERRCODE = '53100';
        END IF;
        RETURN NULL;
      END$$;
      CREATE TRIGGER fail_later AFTER UPDATE ON invocations FOR EACH STATEMENT EXECUTE FUNCTION fail_later()`);
    const isDone = await run().then(
      () => true,
      () => false,
    );
    expect(isDone).toBe(false);
    await database().pool.query('DROP TRIGGER fail_later ON invocations');
    const { invocation, event, memoryEntry } = database().prisma;
    const left = await invocation.findMany({ where: { agentId, userId: 'katherine' } });
    expect(left.length).toBeGreaterThanOrEqual(5);
    expect(left.length).toBeLessThan(10);
    // If the row still names the user, its event exists too.
    expect(await event.count({ where: { requestId: { in: left.map(({ id }) => id) } } })).toBe(
      left.length,
    );
    const erased = await run();
    expect(erased).toMatchObject({
      invocations: left.length,
      events: left.length,
      memoryEntries: 10,
    });
    expect(await invocation.count({ where: { agentId, userId: 'dorothy' } })).toBe(20);
    expect(await memoryEntry.count({ where: { agentId } })).toBe(20);
    expect(await event.count({ where: { requestId: { in: ids } } })).toBe(20);
    expect(await tablesContaining(database(), 'katherine')).toEqual([]);
  });

  test('matches the complete user id', async () => {
    const tenant = await newTenant();
    const agentId = await newAgent(tenant);
    const { prisma } = database();
    const names = ['a%', 'a_', 'ab', 'a', 'a","x', 'a\\', 'ä', 'abc'];
    await prisma.sessionLease.createMany({
      data: names.map((user) => ({
        accountId: tenant.accountId,
        agentId,
        sessionId: JSON.stringify([user, 'chat']),
        owner: 'another owner',
        leaseUntil: new Date(),
      })),
    });
    for (const user of names) await say(tenant, agentId, { user, text: 'Hi' });
    for (const [index, user] of names.entries()) {
      expect(await erase(tenant, user)).toEqual({
        ...nothing,
        memory_entries: 2,
        invocations: 1,
        log_entries: 1,
        sessions: 1,
      });
      const others = names.length - index - 1;
      expect(await prisma.sessionLease.count({ where: { agentId } })).toBe(others);
      expect(await prisma.memoryEntry.count({ where: { agentId } })).toBe(2 * others);
    }
  });

  test('requires confirmation', async () => {
    const tenant = await newTenant();
    const agentId = await newAgent(tenant);
    await say(tenant, agentId, { user: 'mary', text: 'Hi' });
    const refused = await operator().run(['users', 'erase', 'mary', '--account', tenant.name]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Pass --yes');
    expect(await database().prisma.memoryEntry.count({ where: { agentId } })).toBe(2);
    const args = ['users', 'erase', 'mary', '--yes', '--account', tenant.name];
    const { code, stdout, stderr } = await operator().run(args);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `Erased data of user 'mary' in account '${tenant.name}':\n  2 memory entries\n  1 invocations`,
    );
    expect(stderr).toMatch(/^Invocations that were running are recorded when they end\. Repeat/);
  });

  test('fails if the database fails, and does not report an erasure', async () => {
    const tenant = await newTenant();
    const agentId = await newAgent(tenant);
    await insertWebhook(database(), tenant.accountId);
    await say(tenant, agentId, { user: 'radia', text: 'Hi' });
    const args = ['users', 'erase', 'radia', '--yes', '--account', tenant.name];
    const failed = await whileFailing(database(), 'events', { code: '53100', on: 'DELETE' }, () =>
      operator().run(args),
    );
    expect(failed).toMatchObject({ code: 6, stdout: '' });
    await eventually(async () => {
      expect(await erase(tenant, 'radia')).toMatchObject({ invocations: 1, events: 1 });
    });
  });
});

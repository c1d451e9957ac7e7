/** An Idempotency-Key makes a POST safe to repeat: one effect, and the same response to every repeat. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Answered, Api, Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const second = useInstance(service);
const tenant = useTenant(service);

const replayed = ({ headers }: Answered<unknown>) => headers.get('idempotency-replayed');

function keyRequest(idempotencyKey: string, name = idempotencyKey): Call {
  return {
    headers: { 'idempotency-key': idempotencyKey },
    body: { name, permissions: ['read'] },
  };
}

function keysNamed(name: string): Promise<number> {
  return service.database.prisma.apiKey.count({ where: { name } });
}

/** Creates a key, and fails if the response is a replay. */
async function createNew(api: Api, call: Call): Promise<Answered<unknown>> {
  const answer = await api.call('createApiKey', call);
  expect(answer.status).toBe(201);
  expect(replayed(answer)).toBeNull();
  return answer;
}

describe('a repeat', () => {
  test('gets the status and the body of the first, marked as a replay, on any instance', async () => {
    const id = randomUUID();
    const first = await createNew(tenant.api, keyRequest(id));
    for (const api of [tenant.api, second.api(tenant.key)]) {
      const again = await api.call('createApiKey', keyRequest(id));
      expect(again.status).toBe(first.status);
      expect(again.body).toEqual(first.body);
      expect(replayed(again)).toBe('true');
      expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    }
    expect(await keysNamed(id)).toBe(1);
  });

  test('continues immediately if the first client disconnected before its key was recorded', async () => {
    const id = randomUUID();
    const { pool } = service.database;
    const blocker = await pool.connect();
    await blocker.query('BEGIN; LOCK TABLE idempotency_records IN EXCLUSIVE MODE');
    const leaving = new AbortController();
    const first = fetch(`${service.url}/v1/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/json',
        'idempotency-key': id,
      },
      body: JSON.stringify(keyRequest(id).body),
      signal: leaving.signal,
    }).catch(() => 'left');
    await waitForLockWaiter(pool, 'idempotency_records');
    const logged = service.log.length;
    leaving.abort();
    expect(await first).toBe('left');
    // Until the service has noticed.
    await eventually(() => {
      expect(service.log.slice(logged).join('')).toContain('/v1/keys');
    });
    await blocker.query('COMMIT');
    blocker.release();
    // Well before the claim of the first one would expire.
    await eventually(() => tenant.api.expect('createApiKey', 201, keyRequest(id)), 4_000);
    expect(await keysNamed(id)).toBe(1);
  });

  test('with another body is a 422 and changes nothing', async () => {
    const id = randomUUID();
    await createNew(tenant.api, keyRequest(id));
    const { error } = await tenant.api.expect('createApiKey', 422, keyRequest(id, 'another'));
    expect(error.code).toBe('idempotency_mismatch');
    expect(await keysNamed('another')).toBe(0);
  });

  test('100 at once over two instances have one effect; each gets that response or a 409', async () => {
    const id = randomUUID();
    const apis = [tenant.api, second.api(tenant.key)];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        (apis[n % 2] ?? tenant.api).call('createApiKey', keyRequest(id)),
      ),
    );
    const done = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status === 409);
    expect(done.length + waiting.length).toBe(100);
    expect(done.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    for (const { headers, body } of waiting) {
      expect(headers.get('retry-after')).toBe('1');
      expect(body).toMatchObject({ error: { code: 'conflict', retry_after: 1 } });
    }
    expect(await keysNamed(id)).toBe(1);
    expect(replayed(await tenant.api.call('createApiKey', keyRequest(id)))).toBe('true');
  });

  test('24 hours later is a new request', async () => {
    const id = randomUUID();
    await createNew(tenant.api, keyRequest(id));
    await service.database.pool.query(
      `UPDATE idempotency_records SET expires_at = expires_at - interval '24 hours'`,
    );
    await createNew(tenant.api, keyRequest(id, 'the day after'));
  });
});

describe('the scope of a key', () => {
  test('is the API key of the caller', async () => {
    const id = randomUUID();
    const sibling = await tenant.newKey();
    const stranger = await service.tenant();
    for (const api of [tenant.api, service.api(sibling.key), stranger.api]) {
      await createNew(api, keyRequest(id));
    }
    expect(await keysNamed(id)).toBe(3);
  });

  test('is the path', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { environment: 'staging', version: '1.0.0' };
    for (const { id: agent_id } of [await tenant.newAgent(), await tenant.newAgent()]) {
      const answer = await tenant.api.call('createDeployment', {
        path: { agent_id },
        headers,
        body,
      });
      expect(answer.status).toBe(201);
      expect(replayed(answer)).toBeNull();
    }
  });
});

describe('not stored:', () => {
  test.each<[string, Call, number]>([
    ['a validation error', { body: { name: '' } }, 400],
    ['an unknown agent', { body: { name: 'x', permissions: ['read'], agent_id: 'missing' } }, 404],
  ])('%s: the same key can be used again', async (_name, { body }, status) => {
    const id = randomUUID();
    const { headers } = keyRequest(id);
    const refused = await tenant.api.call('createApiKey', { headers: headers ?? {}, body });
    expect(refused.status).toBe(status);
    await createNew(tenant.api, keyRequest(id));
  });

  test('a missing permission', async () => {
    const id = randomUUID();
    const { key } = await tenant.newKey({ permissions: ['manage'] });
    await service.api(key).expect('createApiKey', 403, keyRequest(id));
    await createNew(service.api(key), {
      ...keyRequest(id),
      body: { name: id, permissions: ['manage'] },
    });
  });

  test('a rate limit', async () => {
    const id = randomUUID();
    const free = await service.tenant({ tier: 'free' });
    const calls = Array.from({ length: 150 }, () => free.api.call('listAgents'));
    await Promise.all(calls);
    const refused = await free.api.call('createApiKey', keyRequest(id));
    expect([201, 429]).toContain(refused.status);
    expect(await keysNamed(id)).toBe(refused.status === 201 ? 1 : 0);
    const { rows } = await service.database.pool.query(
      `SELECT FROM idempotency_records WHERE state = 'running'`,
    );
    expect(rows).toEqual([]);
  });

  test('any secret in plain text: the stored response is encrypted', async () => {
    const answer = await createNew(tenant.api, keyRequest(randomUUID()));
    const { key } = (answer.body as { data: { key: string } }).data;
    const { rows } = await service.database.pool.query<{ sealed: Buffer }>(
      'SELECT sealed_response AS sealed FROM idempotency_records WHERE sealed_response IS NOT NULL',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { sealed } of rows) {
      expect(sealed.includes(key)).toBe(false);
      expect(sealed.includes('success')).toBe(false);
    }
  });
});

describe('the format of a key', () => {
  test.each([
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a space inside', 'a b'],
    ['a letter beyond ASCII', 'é'],
  ])('%s is a 400 naming the header', async (_name, id) => {
    const { error } = await tenant.api.expect('createApiKey', 400, keyRequest(id, 'refused'));
    expect(error.details?.map(({ field }) => field.toLowerCase())).toEqual(['idempotency-key']);
    expect(await keysNamed('refused')).toBe(0);
  });

  test.each([
    ['one character', '!'],
    ['255 characters', '~'.repeat(255)],
  ])('%s is accepted', async (_name, id) => {
    await createNew(tenant.api, keyRequest(id, 'good'));
    expect(replayed(await tenant.api.call('createApiKey', keyRequest(id, 'good')))).toBe('true');
  });

  test('it is ignored by operations that are idempotent anyway', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const { id: agent_id } = await tenant.newAgent();
    const update = (temperature: number) =>
      tenant.api.expect('updateAgent', 200, { path: { agent_id }, headers, body: { temperature } });
    expect((await update(0.1)).data.temperature).toBe(0.1);
    expect((await update(0.2)).data.temperature).toBe(0.2);
    const search = (query: string) =>
      tenant.api.call('searchMemory', { path: { agent_id }, headers, body: { query } });
    expect([(await search('one')).status, (await search('two')).status]).toEqual([200, 200]);
  });
});

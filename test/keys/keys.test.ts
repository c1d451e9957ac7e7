/** Create and revoke API keys, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import type { Permission } from '../../generated/api.js';
import { isWellFormedApiKey } from '../../server/keys/api-key.js';
import { everyPermission } from '../../server/contract/permissions.js';
import { newId } from '../../server/lib/data/typeid.js';
import { eventually } from '../helpers/eventually.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { hostileName } from '../helpers/text/unprintable.js';

const service = useService();
const tenant = useTenant(service);

const keyWith = (changes: object = {}) => ({
  name: 'Help desk',
  permissions: ['read'] as Permission[],
  ...changes,
});

describe('Create API Key', () => {
  test('returns the record and the key, which works at once', async () => {
    const { data } = await tenant.api.expect('createApiKey', 201, { body: keyWith() });
    const { key, ...record } = data;
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_/),
      agent_id: null,
      name: 'Help desk',
      permissions: ['read'],
      preview: `ahs_…${key.slice(-4)}`,
      created_at: expect.any(String),
      created_by: expect.stringMatching(/^key_/),
      last_used_at: null,
      expires_at: null,
    });
    await service.api(key).expect('listAgents', 200);
  });

  test('shows the key only once: the list contains only its preview', async () => {
    const { data } = await tenant.api.expect('createApiKey', 201, { body: keyWith() });
    const list = await tenant.api.call('listApiKeys');
    expect(JSON.stringify(list.body)).toContain(data.preview);
    expect(JSON.stringify(list.body)).not.toContain(data.key);
  });

  test('accepts the id or the name of an agent', async () => {
    const { id, name } = await tenant.newAgent();
    for (const agent_id of [id, name]) {
      const { data } = await tenant.api.expect('createApiKey', 201, {
        body: keyWith({ agent_id }),
      });
      expect(data.agent_id).toBe(id);
    }
    await tenant.api.expect('createApiKey', 404, { body: keyWith({ agent_id: 'missing' }) });
  });

  test('400 for a name with characters that a terminal would interpret, saying what is not allowed', async () => {
    const body = keyWith({ name: hostileName });
    const { error } = await tenant.api.expect('createApiKey', 400, { body });
    expect(error.details).toEqual([
      { field: 'name', error: expect.stringContaining('must not contain control characters') },
    ]);
  });

  test('a name that was stored by an earlier release can be read', async () => {
    const { id } = await tenant.newKey();
    await service.database.prisma.apiKey.update({ where: { id }, data: { name: hostileName } });
    const { data } = await tenant.api.expect('listApiKeys', 200);
    expect(data).toContainEqual(expect.objectContaining({ id, name: hostileName }));
  });

  test.each(everyPermission.filter((permission) => permission !== 'manage'))(
    '403 for granting %s without having it',
    async (permission) => {
      const { key } = await tenant.newKey({ permissions: ['manage'] });
      const before = await tenant.api.expect('listApiKeys', 200);
      const { error } = await service.api(key).expect('createApiKey', 403, {
        body: keyWith({ permissions: ['manage', permission] }),
      });
      expect(error.code).toBe('forbidden');
      expect(error.message).toContain(permission);
      const after = await tenant.api.expect('listApiKeys', 200);
      expect(after.pagination.total).toBe(before.pagination.total);
    },
  );

  test('a key can grant its own permissions', async () => {
    const { key } = await tenant.newKey({ permissions: ['manage', 'delete'] });
    const { data } = await service.api(key).expect('createApiKey', 201, {
      body: keyWith({ permissions: ['delete'] }),
    });
    expect(data.permissions).toEqual(['delete']);
  });

  test('a key limited to an agent creates keys for that agent only', async () => {
    const { id, name } = await tenant.newAgent();
    const other = await tenant.newAgent();
    const api = service.api((await tenant.newKey({ agentId: id })).key);
    for (const agent_id of [undefined, null, id, name]) {
      const { data } = await api.expect('createApiKey', 201, {
        body: keyWith(agent_id === undefined ? {} : { agent_id }),
      });
      expect(data.agent_id).toBe(id);
    }
    for (const agent_id of [other.id, other.name]) {
      await api.expect('createApiKey', 404, { body: keyWith({ agent_id }) });
    }
  });

  test('404, not a 500, when the agent is deleted at the same moment', async () => {
    const { id } = await tenant.newAgent();
    const deletion = await service.database.pool.connect();
    try {
      await deletion.query('BEGIN');
      await deletion.query('DELETE FROM agents WHERE id = $1', [id]);
      const answer = tenant.api.call('createApiKey', { body: keyWith({ agent_id: id }) });
      await waitForLockWaiter(service.database.pool);
      await deletion.query('COMMIT');
      expect((await answer).status).toBe(404);
    } finally {
      deletion.release();
    }
  });

  test.each([
    ['no name', { permissions: ['read'] }, 'name'],
    ['no permissions', { name: 'x' }, 'permissions'],
    ['an empty list of permissions', keyWith({ permissions: [] }), 'permissions'],
    ['an unknown permission', keyWith({ permissions: ['admin'] }), 'permissions.0'],
    ['a permission twice', keyWith({ permissions: ['read', 'read'] }), 'permissions'],
    ['an empty name', keyWith({ name: '' }), 'name'],
    ['a name of 101 characters', keyWith({ name: 'x'.repeat(101) }), 'name'],
    ['an unknown field', keyWith({ role: 'admin' }), 'role'],
    ['an agent that is neither id nor name', keyWith({ agent_id: 'Not A Name' }), 'agent_id'],
    ['an expiry that has passed', keyWith({ expires_at: '2020-01-01T00:00:00Z' }), 'expires_at'],
    ['an expiry on 30 February', keyWith({ expires_at: '2999-02-30T00:00:00Z' }), 'expires_at'],
    ['an expiry in a leap second', keyWith({ expires_at: '2998-12-31T23:59:60Z' }), 'expires_at'],
    [
      'an expiry in the year 275760',
      keyWith({ expires_at: '+275760-09-13T00:00:00Z' }),
      'expires_at',
    ],
  ])('400 for %s, naming the field', async (_name, body, field) => {
    const { error } = await tenant.api.expect('createApiKey', 400, { body });
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
  });

  test('a key works until it expires', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { data } = await tenant.api.expect('createApiKey', 201, {
      body: keyWith({ expires_at }),
    });
    expect(data.expires_at).toBe(expires_at);
    await service.api(data.key).expect('listAgents', 200);

    const soon = await tenant.newKey({ expiresAt: new Date(Date.now() + 400) });
    await eventually(() => service.api(soon.key).expect('listAgents', 401));
    const list = await tenant.api.expect('listApiKeys', 200, { query: { limit: 100 } });
    expect(list.data.map(({ id }) => id)).toContain(soon.id);
  });
});

describe('a key with an expiry', () => {
  const end = new Date(Date.now() + 3_600_000);
  const later = new Date(end.getTime() + 1).toISOString();
  const asking = async (input: object) => {
    const parent = await tenant.newKey({ expiresAt: end });
    const answer = await service.api(parent.key).call('createApiKey', { body: keyWith(input) });
    return { parent, ...answer };
  };

  test.each([
    ['later', { expires_at: later }],
    ['never', { expires_at: null }],
  ])('cannot create one that expires %s', async (_when, input) => {
    const { status, body } = await asking(input);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(
      `must not be later than the expiry of the calling key, ${end.toISOString()}`,
    );
  });

  test.each([
    ['at the same time', { expires_at: end.toISOString() }],
    ['with it by default', {}],
  ])('creates those that expire %s, and is recorded as their creator', async (_when, input) => {
    const { status, body, parent } = await asking(input);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      data: { expires_at: end.toISOString(), created_by: parent.id },
    });
  });
});

describe('a key that replaces another', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
  const replacing = (key_id: string, expires_at = inAnHour()) =>
    keyWith({ replaces: { key_id, expires_at } });
  const expiryOf = async (id: string) =>
    (await service.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).expiresAt;

  test('gives it an expiry, until which both work', async () => {
    const old = await tenant.newKey();
    const expires_at = inAnHour();
    const { data } = await tenant.api.expect('createApiKey', 201, {
      body: replacing(old.id, expires_at),
    });
    expect(data).toMatchObject({ name: 'Help desk', permissions: ['read'], expires_at: null });
    const list = await tenant.api.expect('listApiKeys', 200, { query: { limit: 100 } });
    expect(list.data.find(({ id }) => id === old.id)).toMatchObject({ expires_at });
    for (const { key } of [old, data]) await service.api(key).expect('listAgents', 200);
  });

  test('works alone once the other one has expired', async () => {
    const old = await tenant.newKey();
    const expires_at = new Date(Date.now() + 3_000).toISOString();
    const { data } = await tenant.api.expect('createApiKey', 201, {
      body: replacing(old.id, expires_at),
    });
    await eventually(() => service.api(old.key).expect('listAgents', 401));
    await service.api(data.key).expect('listAgents', 200);
  });

  test('can be created by the key that it replaces', async () => {
    const old = await tenant.newKey();
    const expires_at = inAnHour();
    const { data } = await service.api(old.key).expect('createApiKey', 201, {
      body: replacing(old.id, expires_at),
    });
    expect(data).toMatchObject({ created_by: old.id, expires_at: null });
    expect((await expiryOf(old.id))?.toISOString()).toBe(expires_at);
  });

  test('is created once per Idempotency-Key, although the other one ends by then', async () => {
    const old = await tenant.newKey();
    const call = {
      headers: { 'idempotency-key': 'rotation-1' },
      body: replacing(old.id),
    };
    const first = await tenant.api.expect('createApiKey', 201, call);
    expect(await tenant.api.expect('createApiKey', 201, call)).toEqual(first);
  });

  test('is not created if the other one cannot be replaced', async () => {
    const ending = await tenant.newKey({ expiresAt: new Date(Date.now() + 60_000) });
    const ended = await tenant.newKey({ expiresAt: new Date(Date.now() - 60_000) });
    // Without the last use of the keys, which is recorded in the background.
    const keys = async () => {
      const { data } = await tenant.api.expect('listApiKeys', 200);
      return data.map(({ last_used_at: _, ...key }) => key);
    };
    const before = await keys();
    const refusals = [
      [inAnHour(), ending, 'must not be later than the expiry of the replaced key, '],
      [inAnHour(), ended, 'must not be later than the expiry of the replaced key, '],
      ['2020-01-01T00:00:00Z', ending, 'must be in the future'],
      ['2998-12-31T23:59:60Z', ending, 'must not be a leap second'],
    ] as const;
    for (const [expires_at, old, problem] of refusals) {
      const { error } = await tenant.api.expect('createApiKey', 400, {
        body: replacing(old.id, expires_at),
      });
      expect(error.details).toEqual([
        { field: 'replaces.expires_at', error: expect.stringContaining(problem) },
      ]);
    }
    expect(await keys()).toEqual(before);
  });

  test('404 for an unknown or revoked key, and for one that the caller cannot see', async () => {
    const { id: agentId } = await tenant.newAgent();
    const other = await tenant.newAgent();
    const api = service.api((await tenant.newKey({ agentId })).key);
    const revoked = await tenant.newKey({ agentId });
    await tenant.api.expect('revokeApiKey', 200, { path: { key_id: revoked.id } });
    const hidden = [
      newId('key'),
      revoked.id,
      (await tenant.newKey()).id,
      (await tenant.newKey({ agentId: other.id })).id,
      (await (await service.tenant()).newKey()).id,
    ];
    for (const id of hidden) {
      const { error } = await api.expect('createApiKey', 404, { body: replacing(id) });
      expect(error.message).toBe(`There is no API key '${id}'.`);
    }
    const sibling = await tenant.newKey({ agentId });
    await api.expect('createApiKey', 201, { body: replacing(sibling.id) });
  });

  test('needs a permission to manage keys, like its creation and the revocation of the other one', async () => {
    const old = await tenant.newKey();
    const { key } = await tenant.newKey({ permissions: ['read', 'write', 'delete'] });
    await service.api(key).expect('createApiKey', 403, { body: replacing(old.id) });
    expect(await expiryOf(old.id)).toBeNull();
  });
});

describe('Revoke API Key', () => {
  test('revokes the key at once on this instance, and removes it from the list', async () => {
    const { id, key } = await tenant.newKey();
    await service.api(key).expect('listAgents', 200);
    const { data } = await tenant.api.expect('revokeApiKey', 200, { path: { key_id: id } });
    expect(data).toEqual({ id, revoked: true });
    await service.api(key).expect('listAgents', 401);
    const list = await tenant.api.expect('listApiKeys', 200, { query: { limit: 100 } });
    expect(list.data.map((record) => record.id)).not.toContain(id);
    await tenant.api.expect('revokeApiKey', 404, { path: { key_id: id } });
  });

  test('a key may revoke itself', async () => {
    const { id, key } = await tenant.newKey();
    await service.api(key).expect('revokeApiKey', 200, { path: { key_id: id } });
    await service.api(key).expect('listApiKeys', 401);
  });

  test('404 for an unknown key, and for one that the caller cannot see', async () => {
    const { id: agentId } = await tenant.newAgent();
    const other = await tenant.newAgent();
    const { key } = await tenant.newKey({ agentId });
    const hidden = [
      newId('key'),
      (await tenant.newKey()).id,
      (await tenant.newKey({ agentId: other.id })).id,
      (await (await service.tenant()).newKey()).id,
    ];
    for (const key_id of hidden) {
      await service.api(key).expect('revokeApiKey', 404, { path: { key_id } });
    }
    const sibling = await tenant.newKey({ agentId });
    await service.api(key).expect('revokeApiKey', 200, { path: { key_id: sibling.id } });
  });

  test('400 for a malformed key id', async () => {
    await tenant.api.expect('revokeApiKey', 400, { path: { key_id: newId('agent') } });
  });
});

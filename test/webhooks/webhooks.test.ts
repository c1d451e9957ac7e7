/** Create and delete webhooks, over real HTTP and PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openSecret } from '../../server/webhooks/webhooks.js';
import { tiers } from '../../server/accounts/tiers.js';
import { newId } from '../../server/lib/data/typeid.js';
import { changeAccount } from '../../server/accounts/accounts.js';
import { insertEvent } from '../helpers/database/events.js';
import { eventually } from '../helpers/eventually.js';
import { backdateDeletions } from '../helpers/database/purging.js';
import { insertWebhooks } from '../helpers/database/rows.js';
import { testSecrets, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

/** A public IP address, so that no DNS lookup is needed. */
const url = 'https://93.184.216.34/agents';
const webhookWith = (changes: object = {}) => ({ url, events: ['agent.completed'], ...changes });

async function scopedApi(agentId: string) {
  return service.api((await tenant.newKey({ agentId })).key);
}

describe('Create Webhook', () => {
  test('returns the webhook and its secret, which is stored encrypted', async () => {
    const { data } = await tenant.api.expect('createWebhook', 201, {
      body: webhookWith({ events: ['agent.failed', 'agent.completed'] }),
    });
    expect(data).toMatchObject({
      agent_id: null,
      url,
      events: ['agent.failed', 'agent.completed'],
      status: 'enabled',
      last_delivery: null,
    });
    expect(Buffer.from(data.secret.slice(6), 'base64')).toHaveLength(32);
    const row = await service.database.prisma.webhook.findUniqueOrThrow({ where: { id: data.id } });
    expect(Buffer.from(row.sealedSecret).includes(data.secret.slice(6))).toBe(false);
    expect(openSecret(testSecrets, data.id, row.sealedSecret)).toBe(data.secret);
  });

  test('names the key that created it, also in the list', async () => {
    const { id, key } = await tenant.newKey();
    const { data } = await service.api(key).expect('createWebhook', 201, { body: webhookWith() });
    expect(data.created_by).toBe(id);
    const { data: all } = await tenant.api.expect('listWebhooks', 200, { query: { limit: 100 } });
    expect(all.find((webhook) => webhook.id === data.id)?.created_by).toBe(id);
  });

  test('shows the secret only once, and each webhook has a different one', async () => {
    const one = await tenant.api.expect('createWebhook', 201, { body: webhookWith() });
    const other = await tenant.api.expect('createWebhook', 201, { body: webhookWith() });
    expect(one.data.secret).not.toBe(other.data.secret);
    const { body } = await tenant.api.call('listWebhooks', { query: { limit: 100 } });
    expect(JSON.stringify(body)).not.toContain('whsec_');
  });

  test('repeats its response, including the secret, for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await tenant.api.expect('createWebhook', 201, { body: webhookWith(), headers });
    const second = await tenant.api.call('createWebhook', { body: webhookWith(), headers });
    expect(second.body).toEqual(first);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    await tenant.api.expect('createWebhook', 422, {
      body: webhookWith({ url: `${url}/other` }),
      headers,
    });
  });

  test('stops at the cap of the tier, or of the account, however many are created at once', async () => {
    const small = await service.tenant({ tier: 'free' });
    const create = () => small.api.call('createWebhook', { body: webhookWith() });
    await insertWebhooks(service.database, tiers.free.webhooks - 1, small.accountId);
    const statuses = (await Promise.all([create(), create(), create()])).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([201, 409, 409]);
    const { error } = await small.api.expect('createWebhook', 409, { body: webhookWith() });
    expect(error).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/may have 10/),
    });
    await tenant.api.expect('createWebhook', 201, { body: webhookWith() });

    const caps = { webhooks: tiers.free.webhooks + 1 };
    await service.database.transaction((transaction) =>
      changeAccount(transaction, small.accountId, { caps }),
    );
    await eventually(() => small.api.expect('createWebhook', 201, { body: webhookWith() }));
    await small.api.expect('createWebhook', 409, { body: webhookWith() });
  });

  test('accepts the id or the name of an agent', async () => {
    const { id, name } = await tenant.newAgent();
    for (const agent_id of [id, name]) {
      const { data } = await tenant.api.expect('createWebhook', 201, {
        body: webhookWith({ agent_id }),
      });
      expect(data.agent_id).toBe(id);
    }
    const { error } = await tenant.api.expect('createWebhook', 404, {
      body: webhookWith({ agent_id: 'missing' }),
    });
    expect(error.message).toBe("There is no agent 'missing'.");
  });

  test("404 for another account's agent", async () => {
    const { id } = await (await service.tenant()).newAgent();
    await tenant.api.expect('createWebhook', 404, { body: webhookWith({ agent_id: id }) });
  });

  test('a key limited to an agent creates webhooks of that agent only', async () => {
    const { id, name } = await tenant.newAgent();
    const other = await tenant.newAgent();
    const api = await scopedApi(id);
    for (const agent of [{}, { agent_id: null }, { agent_id: id }, { agent_id: name }]) {
      const { data } = await api.expect('createWebhook', 201, { body: webhookWith(agent) });
      expect(data.agent_id).toBe(id);
    }
    await api.expect('createWebhook', 404, { body: webhookWith({ agent_id: other.id }) });
  });

  test.each([
    ['http', 'http://hooks.acme.example/agents', 'must be https'],
    ['loopback', 'https://127.0.0.1/hook', 'must not lead to a private, loopback,'],
    ['a metadata service', 'https://169.254.169.254/latest', 'must not lead to'],
    ['a private address in hex', 'https://0x0a000001/', 'must not lead to'],
    ['IPv4 inside IPv6', 'https://[::ffff:10.0.0.1]/', 'must not lead to'],
    ['localhost', 'https://localhost:8443/', 'must not lead to'],
    ['credentials', 'https://user:secret@hooks.acme.example/', 'must not contain a user name'],
    ['an unusual port', 'https://hooks.acme.example:25/', 'must not use port 25'],
    ['a fragment', 'https://hooks.acme.example/#here', 'must not have a fragment'],
    ['another scheme', 'ftp://hooks.acme.example/', 'must'],
    ['no host', 'https://', 'must'],
    ['an invalid URL', 'hooks.acme.example', 'must'],
    ['a URL longer than 2048', `https://a.example/${'x'.repeat(2048)}`, 'must'],
  ])('400 for %s, naming the url', async (_name, target, reason) => {
    const { error } = await tenant.api.expect('createWebhook', 400, {
      body: webhookWith({ url: target }),
    });
    expect(new Set(error.details?.map(({ field }) => field))).toEqual(new Set(['url']));
    expect(error.details?.[0]?.error).toContain(reason);
  });

  test.each([
    ['no events', { url }, 'events'],
    ['an empty list of events', webhookWith({ events: [] }), 'events'],
    ['an event twice', webhookWith({ events: ['agent.failed', 'agent.failed'] }), 'events'],
    ['an unknown event', webhookWith({ events: ['agent.started'] }), 'events.0'],
    ['no url', { events: ['agent.failed'] }, 'url'],
    ['an unknown field', webhookWith({ secret: 'mine' }), 'secret'],
  ])('400 for %s, naming the field', async (_name, body, field) => {
    const { error } = await tenant.api.expect('createWebhook', 400, { body });
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
  });

  test('403 without the permission to write', async () => {
    const { key } = await tenant.newKey({ permissions: ['read', 'delete', 'manage'] });
    await service.api(key).expect('createWebhook', 403, { body: webhookWith() });
  });
});

describe('Delete Webhook', () => {
  test('removes it with its pending deliveries; a repeat is a 404', async () => {
    const { id: agentId } = await tenant.newAgent();
    const { data } = await tenant.api.expect('createWebhook', 201, { body: webhookWith() });
    const event = await insertEvent(service.database, {
      accountId: tenant.accountId,
      agentId,
      webhookIds: [data.id],
      dueAt: new Date(Date.now() + 3_600_000),
    });
    const deletion = await tenant.api.expect('deleteWebhook', 200, {
      path: { webhook_id: data.id },
    });
    expect(deletion.data).toEqual({ id: data.id, deleted: true });
    await backdateDeletions(service.database);
    await eventually(async () => {
      const where = { eventId: event.id };
      expect(await service.database.prisma.delivery.count({ where })).toBe(0);
    });
    const { error } = await tenant.api.expect('deleteWebhook', 404, {
      path: { webhook_id: data.id },
    });
    expect(error.message).toBe(`There is no webhook '${data.id}'.`);
  });

  test('404 for webhooks that a key cannot see', async () => {
    const { id } = await tenant.newAgent();
    const api = await scopedApi(id);
    const stranger = await service.tenant();
    const hidden = [
      newId('wh'),
      (await tenant.api.expect('createWebhook', 201, { body: webhookWith() })).data.id,
      (await stranger.api.expect('createWebhook', 201, { body: webhookWith() })).data.id,
    ];
    for (const webhook_id of hidden) {
      await api.expect('deleteWebhook', 404, { path: { webhook_id } });
    }
    const own = await tenant.api.expect('createWebhook', 201, {
      body: webhookWith({ agent_id: id }),
    });
    await api.expect('deleteWebhook', 200, { path: { webhook_id: own.data.id } });
  });

  test('400 for a malformed webhook id, 403 without the permission to delete', async () => {
    await tenant.api.expect('deleteWebhook', 400, { path: { webhook_id: newId('key') } });
    const { key } = await tenant.newKey({ permissions: ['read', 'write', 'manage'] });
    await service.api(key).expect('deleteWebhook', 403, { path: { webhook_id: newId('wh') } });
  });
});

/** List Webhooks: filters, order, exact totals, visibility, and the last delivery. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { insertEvent } from '../helpers/database/events.js';
import { readPages } from '../helpers/service/pages.js';
import { answer, type Receiver, startReceiver } from '../helpers/servers/receiver.js';
import { startTestService, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

/** A public IP address, so that no DNS lookup is needed. */
const webhookWith = (changes: object = {}) => ({
  url: 'https://93.184.216.34/agents',
  events: ['agent.completed'],
  ...changes,
});

describe('List Webhooks', () => {
  test('returns the newest first, in pages that never overlap, with exact totals', async () => {
    const owner = await service.tenant();
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      made.push((await owner.api.expect('createWebhook', 201, { body: webhookWith() })).data.id);
    }
    // With equal times, the id decides.
    await service.database.prisma.webhook.updateMany({
      where: { accountId: owner.accountId },
      data: { createdAt: new Date('2026-01-01T00:00:00Z') },
    });
    const read = (query: Record<string, string>) =>
      readPages<{ id: string }>(owner.api, 'listWebhooks', 2, { query });
    const ids = (items: { id: string }[]) => items.map(({ id }) => id);
    expect(ids(await read({}))).toEqual(made.toReversed());
    expect(ids(await read({ sort: 'created_at' }))).toEqual(made);
    await owner.api.expect('listWebhooks', 400, { query: { sort: 'url' } });
    await owner.api.expect('listWebhooks', 400, { query: { no_such_filter: 'enabled' } });
  });

  test('filters by agent and by event', async () => {
    const owner = await service.tenant();
    const { id, name } = await owner.newAgent();
    const bodies = [
      webhookWith(),
      webhookWith({ agent_id: id }),
      webhookWith({ agent_id: id, events: ['agent.failed'] }),
      webhookWith({ events: ['agent.completed', 'agent.failed'] }),
    ];
    const made: string[] = [];
    for (const body of bodies) {
      made.push((await owner.api.expect('createWebhook', 201, { body })).data.id);
    }
    const found = async (query: Record<string, string>) => {
      const list = await owner.api.expect('listWebhooks', 200, {
        query: { ...query, sort: 'created_at' },
      });
      expect(list.pagination.total).toBe(list.data.length);
      return list.data.map((webhook) => made.indexOf(webhook.id));
    };
    expect(await found({ agent_id: id })).toEqual([1, 2]);
    expect(await found({ agent_id: name })).toEqual([1, 2]);
    expect(await found({ event: 'agent.failed' })).toEqual([2, 3]);
    expect(await found({ event: 'agent.failed', agent_id: name })).toEqual([2]);
    expect(await found({ agent_id: 'missing' })).toEqual([]);
  });

  test("excludes other accounts' webhooks, and returns to an agent's key only those of its agent", async () => {
    const { id } = await tenant.newAgent();
    const other = await tenant.newAgent();
    const mine = await tenant.api.expect('createWebhook', 201, {
      body: webhookWith({ agent_id: id }),
    });
    await tenant.api.expect('createWebhook', 201, { body: webhookWith({ agent_id: other.id }) });
    const api = service.api((await tenant.newKey({ agentId: id })).key);
    const { data } = await api.expect('listWebhooks', 200);
    expect(data.map((webhook) => webhook.id)).toEqual([mine.data.id]);
    const hidden = await api.expect('listWebhooks', 200, { query: { agent_id: other.id } });
    expect(hidden.data).toEqual([]);
    const stranger = await service.tenant();
    expect((await stranger.api.expect('listWebhooks', 200)).data).toEqual([]);
  });

  test('shows the last attempted delivery: its response, its error and its next attempt', async () => {
    const failing = await startReceiver(answer(500));
    const working = await startReceiver();
    const silent = await startReceiver((response) => response.destroy());
    const developing = await startTestService({ ALLOW_PRIVATE_TARGETS: 'true' });
    try {
      const owner = await developing.tenant();
      const { id: agentId } = await owner.newAgent();
      const lastDeliveryTo = async ({ url }: Receiver) => {
        const { data } = await owner.api.expect('createWebhook', 201, {
          body: webhookWith({ url }),
        });
        const webhookIds = [data.id];
        await insertEvent(developing.database, {
          accountId: owner.accountId,
          agentId,
          webhookIds,
        });
        const last = await eventually(async () => {
          const webhooks = (await owner.api.expect('listWebhooks', 200)).data;
          const found = webhooks.find(({ id }) => id === data.id)?.last_delivery;
          expect(found).not.toBeNull();
          return found;
        });
        const stored = await developing.database.prisma.delivery.findFirstOrThrow({
          where: { webhookId: data.id },
        });
        expect(last?.at).toBe(stored.lastAttemptAt?.toISOString());
        return { last, next: stored.nextAttemptAt.toISOString() };
      };
      const failed = await lastDeliveryTo(failing);
      expect(failed.last).toMatchObject({
        status: 'pending',
        attempts: 1,
        response_code: 500,
        error: 'The receiver answered 500.',
        next_attempt_at: failed.next,
      });
      expect((await lastDeliveryTo(working)).last).toMatchObject({
        status: 'succeeded',
        attempts: 1,
        response_code: 204,
        error: null,
        next_attempt_at: null,
      });
      expect((await lastDeliveryTo(silent)).last).toMatchObject({
        status: 'pending',
        response_code: null,
        error: 'The receiver closed the connection.',
      });
    } finally {
      await developing.stop();
      await Promise.all([failing, working, silent].map((receiver) => receiver.close()));
    }
  });
});

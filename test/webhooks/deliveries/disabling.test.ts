/** When the service disables a webhook by itself. */
import { describe, expect, test } from '@jest/globals';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { eventually } from '../../helpers/eventually.js';
import { accept, answer, inSequence } from '../../helpers/servers/receiver.js';

const fixture = useDeliveryTest({ worker: { pollMs: 200 } });

describe('A webhook is disabled', () => {
  test('when its receiver answers 410, and its pending deliveries are dropped', async () => {
    const { receiver, webhook } = await fixture.receiving(answer(410));
    const dueAt = new Date(Date.now() + 3_600_000);
    const later = await fixture.send([webhook.id], { dueAt });
    const event = await fixture.send([webhook.id]);
    const { lastError } = await eventually(async () => {
      const delivery = await fixture.delivery(event.id);
      expect(delivery.status).toBe('failed');
      return delivery;
    });
    expect(lastError).toBe('The receiver answered 410.');
    expect(await fixture.webhookRow(webhook.id)).toMatchObject({
      status: 'disabled',
      disabledReason: 'The receiver answered 410 Gone.',
    });
    expect((await fixture.delivery(later.id)).status).toBe('failed');
    expect(await fixture.logOf(event.requestId)).toMatchObject([
      {
        level: 'warn',
        message: `Webhook ${webhook.id} is disabled, and its pending deliveries are given up. The receiver answered 410 Gone.`,
      },
    ]);
    expect(await fixture.logOf(later.requestId)).toEqual([]);
    const receiptsBefore = receiver.receipts.length;

    // A delivery that was committed at the same moment finds the webhook disabled.
    const straggler = await fixture.send([webhook.id]);
    await eventually(async () => {
      expect(await fixture.delivery(straggler.id)).toMatchObject({
        status: 'failed',
        attempts: 0,
        lastError: 'The webhook was disabled.',
      });
    });
    expect(receiver.receipts).toHaveLength(receiptsBefore);
  });

  test('after five days without a success', async () => {
    const { webhook } = await fixture.receiving(answer(500));
    const since = async (days: number) => {
      await fixture.database.prisma.webhook.update({
        where: { id: webhook.id },
        data: { failingSince: new Date(Date.now() - days * 86_400_000) },
      });
    };
    await since(4.9);
    const first = await fixture.send([webhook.id]);
    expect(await fixture.tried(first.id)).toMatchObject({ status: 'pending' });
    expect((await fixture.webhookRow(webhook.id)).status).toBe('enabled');
    await since(5.1);
    const second = await fixture.send([webhook.id]);
    expect(await fixture.tried(second.id)).toMatchObject({ status: 'failed' });
    expect(await fixture.webhookRow(webhook.id)).toMatchObject({
      status: 'disabled',
      disabledReason: 'Every attempt has failed for five days.',
    });
    expect(await fixture.delivery(first.id)).toMatchObject({
      status: 'failed',
      lastError: 'The receiver answered 500.',
    });
    expect(await fixture.logOf(first.requestId)).toEqual([]);
    expect(await fixture.logOf(second.requestId)).toMatchObject([
      {
        message: expect.stringMatching(
          / is disabled, .* Every attempt has failed for five days\.$/,
        ),
      },
    ]);
  });

  test('but not while a single delivery gets through', async () => {
    const { webhook } = await fixture.receiving(inSequence(accept, answer(500)));
    const sixDaysAgo = new Date(Date.now() - 6 * 86_400_000);
    await fixture.database.prisma.webhook.update({
      where: { id: webhook.id },
      data: { failingSince: sixDaysAgo },
    });
    await fixture.tried((await fixture.send([webhook.id])).id);
    await fixture.tried((await fixture.send([webhook.id])).id);
    const { status, failingSince } = await fixture.webhookRow(webhook.id);
    expect(status).toBe('enabled');
    // Counted from the second attempt, which was the first to fail.
    expect(failingSince?.getTime()).toBeGreaterThan(sixDaysAgo.getTime());
  });
});

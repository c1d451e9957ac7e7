/** What a receiver is sent, and how failures are handled: over real HTTP, to receivers on loopback. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { accept, answer, inSequence } from '../../helpers/servers/receiver.js';

const fixture = useDeliveryTest({ worker: { pollMs: 200 } });

/** Milliseconds from the attempt to the next one. */
const pauseOf = ({
  lastAttemptAt,
  nextAttemptAt,
}: {
  lastAttemptAt: Date | null;
  nextAttemptAt: Date;
}) => nextAttemptAt.getTime() - (lastAttemptAt?.getTime() ?? NaN);

describe('A delivery', () => {
  test('carries the exact bytes of the event and its headers', async () => {
    const { receiver, webhook } = await fixture.receiving();
    const event = await fixture.send([webhook.id], { response: 'ünïcödé   \u2028 🐘' });
    const [receipt] = await receiver.got(1);
    expect(receipt?.body.toString()).toBe(event.body);
    expect(receipt?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(event.body)),
      'webhook-id': event.id,
    });
    expect(receipt?.headers['user-agent']).toMatch(/^Agent-Hosting-Service-Webhooks\//);
    expect(await fixture.tried(event.id)).toMatchObject({
      status: 'succeeded',
      lastStatusCode: 204,
      lastError: null,
      leaseOwner: null,
    });
    expect(await fixture.logOf(event.requestId)).toEqual([]);
  });

  test('is signed so that an independent library accepts it, and rejects a changed byte', async () => {
    const { receiver, webhook } = await fixture.receiving();
    await fixture.send([webhook.id]);
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = await receiver.got(1);
    const verifier = new Webhook(webhook.secret);
    expect(verifier.verify(body, headers)).toMatchObject({ type: 'agent.completed' });
    const changed = Buffer.from(body);
    changed[10] = (changed[10] ?? 0) ^ 1;
    expect(() => verifier.verify(changed, headers)).toThrow();
  });

  test('carries the HMAC of the raw body, keyed with the secret as shown to the user', async () => {
    const { receiver, webhook } = await fixture.receiving();
    await fixture.send([webhook.id]);
    const [receipt] = await receiver.got(1);
    const expected = createHmac('sha256', webhook.secret).update(receipt?.body ?? '');
    expect(receipt?.headers['x-service-signature']).toBe(expected.digest('hex'));
  });

  test('goes to every webhook of the event, each signed with its own secret', async () => {
    const [one, other] = [await fixture.receiving(), await fixture.receiving()];
    await fixture.send([one.webhook.id, other.webhook.id]);
    for (const { receiver, webhook } of [one, other]) {
      const [receipt] = await receiver.got(1);
      new Webhook(webhook.secret).verify(receipt?.body ?? '', receipt?.headers ?? {});
    }
  });

  test('of a large event arrives complete', async () => {
    const { receiver, webhook } = await fixture.receiving();
    const response = 'long '.repeat(400_000);
    const events = await Promise.all(
      Array.from({ length: 10 }, () => fixture.send([webhook.id], { response })),
    );
    const receipts = await receiver.got(10);
    const sizes = receipts.map(({ body }) => body.length);
    expect(sizes).toEqual(events.map(({ body }) => Buffer.byteLength(body)));
  });

  test('is repeated after a failure with the same bytes and a later timestamp', async () => {
    const { receiver, webhook } = await fixture.receiving(inSequence(answer(500), accept));
    const event = await fixture.send([webhook.id]);
    const failed = await fixture.tried(event.id);
    expect(failed).toMatchObject({ status: 'pending', lastStatusCode: 500, leaseOwner: null });
    expect(pauseOf(failed)).toBeGreaterThanOrEqual(5_000);
    expect(pauseOf(failed)).toBeLessThanOrEqual(6_000);
    expect((await fixture.webhookRow(webhook.id)).failingSince).not.toBeNull();

    await fixture.passPauses();
    const [first, second] = await receiver.got(2);
    expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(await fixture.tried(event.id, 2)).toMatchObject({
      status: 'succeeded',
      lastStatusCode: 204,
    });
    expect((await fixture.webhookRow(webhook.id)).failingSince).toBeNull();
  });

  test('is given up after the tenth failed attempt', async () => {
    const { receiver, webhook } = await fixture.receiving(answer(503));
    const event = await fixture.send([webhook.id]);
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await fixture.tried(event.id, attempt);
      await fixture.passPauses();
    }
    expect(await fixture.tried(event.id, 10)).toMatchObject({ status: 'failed' });
    expect(receiver.receipts).toHaveLength(10);
    expect(await fixture.logOf(event.requestId)).toMatchObject([
      {
        message: expect.stringMatching(/^Webhook wh_\w+ starts to fail\./),
        metadata: { attempt: 1 },
      },
      {
        level: 'warn',
        message: `The delivery of agent.completed to webhook ${webhook.id} is given up after 10 attempts. The receiver answered 503.`,
        metadata: { attempt: 10, status_code: 503 },
      },
    ]);
  });
});

describe('A failed attempt', () => {
  test('is logged for the agent as a warning and counted if it is the first of its webhook', async () => {
    const { webhook } = await fixture.receiving(answer(500));
    const event = await fixture.send([webhook.id]);
    await fixture.tried(event.id);
    const [entry] = await fixture.logOf(event.requestId);
    expect(entry).toMatchObject({
      agentId: fixture.agentId,
      level: 'warn',
      requestId: event.requestId,
      metadata: {
        webhook_id: webhook.id,
        event_id: event.id,
        event: 'agent.completed',
        attempt: 1,
        status_code: 500,
      },
    });
    expect(entry?.message).toMatch(
      /^Webhook wh_\w+ starts to fail\. The receiver answered 500\. This was attempt 1 of 10 to deliver agent\.completed\. The next one is in [56] seconds\.$/,
    );
    const { _sum: counted } = await fixture.database.prisma.usageDelta.aggregate({
      where: { agentId: fixture.agentId },
      _sum: { logsWarn: true },
    });
    const written = await fixture.database.prisma.logEntry.count({
      where: { agentId: fixture.agentId, level: 'warn' },
    });
    expect(counted.logsWarn).toBe(written);
  });

  test('is not logged while its webhook keeps failing, and is logged again after a success', async () => {
    const { webhook } = await fixture.receiving(
      inSequence(answer(500), answer(500), answer(500), accept, answer(500)),
    );
    const logged = async (): Promise<number> => {
      const event = await fixture.send([webhook.id]);
      await fixture.tried(event.id);
      return (await fixture.logOf(event.requestId)).length;
    };
    expect([await logged(), await logged(), await logged()]).toEqual([1, 0, 0]);
    expect([await logged(), await logged()]).toEqual([0, 1]);
  });

  test('is logged once when several fail at the same time', async () => {
    const { webhook } = await fixture.receiving(answer(500));
    const events = await Promise.all(Array.from({ length: 20 }, () => fixture.send([webhook.id])));
    for (const { id } of events) await fixture.tried(id);
    const logs = await Promise.all(events.map(({ requestId }) => fixture.logOf(requestId)));
    expect(logs.flat()).toHaveLength(1);
  });

  test('waits as long as Retry-After asks, but never less than usual or more than a day', async () => {
    const requested = [
      ['120', 120_000, 120_000],
      ['1', 5_000, 6_000],
      ['999999999', 86_400_000, 86_400_000],
      [new Date(Date.now() + 3_600_000).toUTCString(), 3_590_000, 3_601_000],
      ['soon', 5_000, 6_000],
    ] as const;
    for (const [retryAfter, least, most] of requested) {
      const { webhook } = await fixture.receiving(answer(429, { 'retry-after': retryAfter }));
      const event = await fixture.send([webhook.id]);
      const pause = pauseOf(await fixture.tried(event.id));
      expect(pause).toBeGreaterThanOrEqual(least);
      expect(pause).toBeLessThanOrEqual(most);
    }
  });

  test('of a deleted agent is ignored', async () => {
    const { webhook } = await fixture.receiving(answer(500));
    const event = await fixture.send([webhook.id], { agentId: 'agent_gone' });
    expect(await fixture.tried(event.id)).toMatchObject({ status: 'pending' });
    expect(await fixture.logOf(event.requestId)).toEqual([]);
  });
});

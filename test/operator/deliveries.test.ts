/** `operator deliveries` against a real database and real receivers. */
import { describe, expect, test } from '@jest/globals';
import { useDeliveryTest } from '../helpers/service/delivery.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { answer, inSequence } from '../helpers/servers/receiver.js';

const fixture = useDeliveryTest({ worker: {} });

/** Runs a command, and returns its output or error. */
async function operator(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await operatorInProcess(fixture).run(['deliveries', ...words]);
  return code === 0 ? stdout : `failed: ${stderr}`;
}

const listed = async (...words: string[]) =>
  JSON.parse(await operator('list', '--json', ...words)) as Record<string, unknown>[];

test('list shows deliveries, newest first, and filters them', async () => {
  const works = await fixture.receiving();
  const fails = await fixture.receiving(answer(500));
  const first = await fixture.send([works.webhook.id]);
  await fixture.tried(first.id);
  const second = await fixture.send([fails.webhook.id]);
  await fixture.tried(second.id);

  const ids = (rows: Record<string, unknown>[]) => rows.map(({ event_id }) => event_id);
  expect(ids(await listed())).toEqual([second.id, first.id]);
  expect(ids(await listed('--limit', '1'))).toEqual([second.id]);
  expect(ids(await listed('--status', 'succeeded'))).toEqual([first.id]);
  expect(ids(await listed('--webhook', fails.webhook.id))).toEqual([second.id]);
  expect(await listed('--event', second.id)).toEqual([
    {
      event_id: second.id,
      webhook_id: fails.webhook.id,
      event: 'agent.completed',
      status: 'pending',
      attempts: 1,
      created_at: expect.any(String),
      last_attempt_at: expect.any(String),
      last_status_code: 500,
      last_error: 'The receiver answered 500.',
      next_attempt_at: expect.any(String),
    },
  ]);
  expect(await operator('list')).toMatch(
    /^EVENT +WEBHOOK +TYPE +STATUS +ATTEMPTS +NEXT +LAST ERROR/,
  );
});

describe('replay', () => {
  test('sends a delivered event again', async () => {
    const { receiver, webhook } = await fixture.receiving();
    const event = await fixture.send([webhook.id]);
    await fixture.tried(event.id);
    expect(await operator('replay', event.id)).toBe('1 delivery will be sent again.\n');
    const [first, second] = await receiver.got(2);
    expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true);
    expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
  });

  test('sends all failed events of a webhook, with ten attempts again', async () => {
    const { receiver, webhook } = await fixture.receiving(
      inSequence(answer(500), answer(500), answer(204)),
    );
    const dueAt = new Date(Date.now() + 3_600_000);
    const events = [
      await fixture.send([webhook.id], { dueAt }),
      await fixture.send([webhook.id], { dueAt }),
    ];
    await fixture.database.prisma.delivery.updateMany({
      where: { webhookId: webhook.id },
      data: { status: 'failed', attempts: 10 },
    });
    const told = await operator('replay', '--webhook', webhook.id, '--json');
    expect(JSON.parse(told)).toEqual({ replayed: 2 });
    for (const { id } of events) {
      expect(await fixture.tried(id)).toMatchObject({ status: 'pending', attempts: 1 });
    }
    expect(receiver.receipts).toHaveLength(2);
  });

  test('reports a disabled webhook, an empty selection, another account and missing arguments', async () => {
    const { webhook } = await fixture.receiving(answer(410));
    const event = await fixture.send([webhook.id]);
    await fixture.tried(event.id);
    expect(await operator('replay', event.id)).toBe(
      `failed: Webhook ${webhook.id} is disabled, so nothing can be sent to it. Create a new webhook first.\n`,
    );
    expect(await operator('replay', 'evt_none')).toBe(
      "failed: There is no delivery of event 'evt_none' that has ended and can be sent again.\n",
    );
    expect(await operator('replay')).toMatch(/^failed: Name an event, or a webhook/);
    await fixture.database.prisma.account.create({ data: { id: 'acct_other', name: 'other' } });
    expect(await operator('replay', event.id, '--account', 'other')).toMatch(
      /There is no delivery/,
    );
    // The commands below name no account, so there must be one only.
    await fixture.database.prisma.account.delete({ where: { name: 'other' } });
  });
});

describe('dead-letter', () => {
  test('abandons pending deliveries, also during an attempt, and replay resumes them', async () => {
    const { receiver, webhook } = await fixture.receiving(inSequence(() => undefined, answer(204)));
    const event = await fixture.send([webhook.id]);
    await receiver.got(1);
    expect(await operator('dead-letter', event.id, '--webhook', webhook.id)).toBe(
      '1 delivery given up.\n',
    );
    expect(await fixture.delivery(event.id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      lastError: 'Given up by the operator.',
    });
    expect(await operator('fail', event.id)).toMatch(/There is no delivery .* still pending/);
    await operator('replay', event.id);
    expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
  });
});

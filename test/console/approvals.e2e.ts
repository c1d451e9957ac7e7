/** Approvals in the chat of the console, and replies that are stopped or go on, with a service that is played here. */
import { describe, expect } from '@jest/globals';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { browserTest } from '../helpers/programs/browser.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { serverSentEvent } from '../client/stub-server.js';
import { sendMessage, signedIn, streamOf } from './console.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service);
useAgent(tenant, { name: 'shop-bot' });

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const waitingId = `req_${'0'.repeat(25)}1`;

const refund = (approver = 'caller') => ({
  call_id: 'call_1',
  tool: 'refund',
  arguments: { order_id: '5512', amount: 49.9, note: 'for\u202e Ann<b>' },
  approver,
  expires_at: inAnHour(),
});
const email = () => ({
  ...refund(),
  call_id: 'call_2',
  tool: 'email',
  arguments: { to: 'ann@acme.example' },
});

const paused = (...approvals: object[]) =>
  streamOf(
    serverSentEvent('delta', { text: 'I can refund it.' }, `${waitingId}.1`),
    serverSentEvent(
      'done',
      {
        response: 'I can refund it.',
        request_id: waitingId,
        tokens_used: 298,
        duration_ms: 860,
        status: 'requires_approval',
        approvals,
      },
      `${waitingId}.2`,
    ),
  );

const completed = (response: string) => {
  const result = { response, request_id: 'req_2', tokens_used: 4, duration_ms: 9 };
  return streamOf(serverSentEvent('done', { ...result, status: 'completed' }, 'req_2.1'));
};

function failed(status: number, code: string, message: string) {
  const body = JSON.stringify({ success: false, error: { code, message } });
  return { status, contentType: 'application/json', body };
}

type Answer = Parameters<Route['fulfill']>[0];

interface Sent {
  body: unknown;
  key: string | undefined;
  prefer: string | undefined;
  lastEventId: string | undefined;
}

/** Answers the invocations of the page in turn; 'abort' breaks the connection, 'hang' keeps it open. Returns what they sent. */
async function play(page: Page, ...answers: (Answer | 'abort' | 'hang')[]): Promise<Sent[]> {
  const isInvocation = (url: URL) => url.pathname.endsWith('/invoke');
  const sent: Sent[] = [];
  await page.unroute(isInvocation);
  await page.route(isInvocation, async (route) => {
    const headers = route.request().headers();
    sent.push({
      body: route.request().postDataJSON(),
      key: headers['idempotency-key'],
      prefer: headers['prefer'],
      lastEventId: headers['last-event-id'],
    });
    const answer = answers.shift();
    if (answer === 'abort') await route.abort();
    else if (answer !== 'hang') await route.fulfill(answer);
  });
  return sent;
}

async function openChat(context: BrowserContext) {
  const address = 'agents/shop-bot/chat?session=chat-1&user=ann';
  const opened = await signedIn(context, service.url, tenant.key, address);
  const { page } = opened;
  return {
    ...opened,
    call: (id: string) => page.getByRole('group', { name: id }),
    send: page.getByRole('button', { name: /^Send (the decision|\d decisions)/ }),
  };
}

describe('calls that wait for approval', () => {
  browserTest('are shown exactly, decided at once, and the reply goes on', async (context) => {
    const { page, pageErrors, call, send } = await openChat(context);
    const sent = await play(
      page,
      paused(refund(), email()),
      completed('Refunded, without e-mail.'),
    );
    await sendMessage(page, 'Refund order 5512');
    const text = call('call_1').getByRole('region', { name: 'Arguments of call_1' });
    expect(await text.textContent()).toBe(
      '{\n  "order_id": "5512",\n  "amount": 49.9,\n  "note": "for\\u202e Ann<b>"\n}',
    );
    await call('call_1')
      .getByText(/^Whoever may invoke .* Until .*\(in 1 hour\)\.$/)
      .waitFor();
    // The keyboard begins at the first call, without any choice.
    await page.waitForFunction('document.activeElement.matches("fieldset:first-of-type")');
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await call('call_1').getByLabel('Approve').isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('Approve or reject each call first.').waitFor();
    await send.click({ force: true });
    expect(sent.length).toBe(1);
    await call('call_2').getByLabel('Reject').check();
    await call('call_2').getByLabel('Reason').fill('she was called');
    await page.keyboard.press('Enter');
    await page.getByText('1 call will be made.').waitFor();
    await send.click();
    await page.getByText('Refunded, without e-mail.').waitFor();
    expect(sent[1]).toMatchObject({
      key: expect.stringMatching(/./),
      body: {
        message: 'Decided.',
        context: { user_id: 'ann', session_id: 'chat-1' },
        resume: {
          request_id: waitingId,
          decisions: [
            { call_id: 'call_1', decision: 'approve' },
            { call_id: 'call_2', decision: 'reject', note: 'she was called' },
          ],
        },
      },
    });
    expect(sent[1]?.key).not.toBe(sent[0]?.key);
    expect(await send.count()).toBe(0);
    await call('call_1').getByText('approved').waitFor();
    await page.reload();
    await call('call_2').getByText('she was called').waitFor();
    expect([sent.length, await send.count(), pageErrors]).toEqual([2, 0, []]);
  });

  browserTest(
    'stay undecided when the page is left or other messages are sent',
    async (context) => {
      const { page, call, send } = await openChat(context);
      const sent = await play(
        page,
        paused(refund()),
        completed('At noon.'),
        completed('Refunded.'),
      );
      await sendMessage(page, 'Refund order 5512');
      await call('call_1').getByLabel('Approve').check();
      await page.reload();
      await call('call_1').waitFor();
      expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
      await sendMessage(page, 'When do you open?');
      await page.getByText('At noon.').waitFor();
      await call('call_1').getByLabel('Approve').check();
      await page.getByLabel('Message (optional)').fill(' Go ahead ');
      await send.click();
      await page.getByText('Refunded.').waitFor();
      expect(sent.map(({ body }) => body)).toMatchObject([
        { message: 'Refund order 5512' },
        { message: 'When do you open?' },
        { message: 'Go ahead', resume: { request_id: waitingId } },
      ]);
    },
  );

  browserTest('are closed if they were decided before', async (context) => {
    const { page, pageErrors, call, send } = await openChat(context);
    const message = 'The calls of this invocation were already decided.';
    await play(page, paused(refund()), failed(409, 'conflict', message));
    await sendMessage(page, 'Refund order 5512');
    await call('call_1').getByLabel('Approve').check();
    await send.click();
    await page.getByRole('alert').getByText(message).waitFor();
    expect([await send.count(), await page.getByRole('radio').count()]).toEqual([0, 0]);
    // The keyboard goes on where it was, although its button is gone.
    await page.waitForFunction('document.activeElement.matches(".approvals")');
    await page.reload();
    await page.getByText('can no longer be decided here').waitFor();
    // The agent may have been stopped, which is a conflict, too.
    await page.getByRole('button', { name: 'Try again' }).click();
    await send.waitFor();
    await page.waitForFunction('document.activeElement.matches("fieldset")');
    expect(pageErrors).toEqual([]);
  });

  browserTest('say which permission is missing', async (context) => {
    const { page, call, send } = await openChat(context);
    const message = "This key lacks the permission 'manage', which the operation needs.";
    await play(page, paused(refund('manage')), failed(403, 'forbidden', message));
    await sendMessage(page, 'Refund order 5512');
    await call('call_1')
      .getByText(/needs the permission 'manage'/)
      .waitFor();
    await call('call_1').getByLabel('Reject').check();
    await send.click();
    await page.getByRole('alert').getByText(message).waitFor();
    expect(await call('call_1').getByLabel('Reject').isChecked()).toBe(true);
    expect(await send.getAttribute('aria-disabled')).toBe('true');
  });

  browserTest('are decided under one key if the response was lost', async (context) => {
    const { page, call, send } = await openChat(context);
    const lost = ['abort', 'abort', 'abort'] as const;
    const sent = await play(page, paused(refund()), ...lost, completed('Refunded.'));
    await sendMessage(page, 'Refund order 5512');
    await call('call_1').getByLabel('Approve').check();
    await send.click();
    await page.getByRole('alert').getByText('The service does not respond.').waitFor();
    await send.click();
    await page.getByText('Refunded.').waitFor();
    expect(new Set(sent.slice(1).map(({ key }) => key)).size).toBe(1);
  });

  browserTest('do not take the focus from a message that is being written', async (context) => {
    const { page, call } = await openChat(context);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/invoke$/, async (route) => {
      await answered;
      await route.fulfill(paused(refund()));
    });
    await sendMessage(page, 'Refund order 5512');
    await page.getByLabel('Message to shop-bot').fill('And then');
    answer();
    await call('call_1').waitFor();
    await page.keyboard.type(' close it');
    expect(await page.getByLabel('Message to shop-bot').inputValue()).toBe('And then close it');
  });
});

describe('a reply', () => {
  const piece = serverSentEvent('delta', { text: 'The parcel ' }, 'req_3.1');
  const rest = serverSentEvent('delta', { text: 'has arrived.' }, 'req_3.2');
  const done = serverSentEvent(
    'done',
    { response: 'The parcel has arrived.', request_id: 'req_3', tokens_used: 5, duration_ms: 9 },
    'req_3.3',
  );

  browserTest('that goes on after a lost connection is shown once', async (context) => {
    const { page } = await openChat(context);
    const sent = await play(page, streamOf(piece), 'abort', streamOf(rest, done));
    await sendMessage(page, 'Where is it?');
    await page.getByText('5 tokens').waitFor();
    expect(await page.locator('.message.agent .markdown').innerText()).toBe(
      'The parcel has arrived.',
    );
    expect(sent.map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'req_3.1', 'req_3.1']);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  const accepted = { success: true, data: { request_id: 'req_3' } };
  const cancelled = {
    status: 202,
    contentType: 'application/json',
    body: JSON.stringify(accepted),
  };

  browserTest('that is stopped is cancelled under its key', async (context) => {
    const { page, pageErrors } = await openChat(context);
    // The stream breaks off, and its repeat waits until the run is cancelled.
    const sent = await play(page, streamOf(piece), 'hang', cancelled, 'hang');
    await sendMessage(page, 'Where is it?');
    await page.getByText('The parcel').waitFor();
    await page.waitForRequest(/\/invoke$/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('You stopped the reply.').waitFor();
    expect(sent[2]).toEqual({ ...sent[0], prefer: 'cancel', lastEventId: undefined });
    expect(pageErrors).toEqual([]);
  });

  browserTest('that had ended when it was stopped shows its result', async (context) => {
    const { page } = await openChat(context);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    await page.route(/\/invoke$/, async (route) => {
      if (route.request().headers()['prefer'] === 'cancel') {
        end();
        await route.fulfill({
          json: { success: true, data: { response: 'The parcel has arrived.' } },
        });
      } else {
        await ended;
        await route.fulfill(streamOf(piece, rest, done));
      }
    });
    await sendMessage(page, 'Where is it?');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('5 tokens').waitFor();
    expect(await page.getByText('You stopped the reply.').count()).toBe(0);
  });
});

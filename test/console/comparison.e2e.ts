/** Comparisons in the chat of the console: one message, asked of two environments. */
import { expect } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { insertDeployment } from '../helpers/database/rows.js';
import { eventually } from '../helpers/eventually.js';
import { hang } from '../helpers/model-provider/failures.js';
import { browserTest } from '../helpers/programs/browser.js';
import { idempotent, resume, said, useCarefulAgents } from '../invocations/careful-agents.js';
import { refund } from '../invocations/tool-fixtures.js';
import { enterKey, expectToFit, sendMessage, signedIn, slowTimeoutMs } from './console.js';

// Long enough that no run ends for want of a client, unless the page asks for it.
const { fixture, shop, newCarefulAgent } = useCarefulAgents({ STREAM_GRACE_MS: '600000' });

/** The draft may refund if that is approved; the deployment in production echoes. */
async function openComparison(context: BrowserContext, query: string) {
  const agent = await newCarefulAgent();
  await insertDeployment(fixture.service.database, agent.id, { environment: 'production' });
  const { service, tenant } = fixture;
  const address = `agents/${agent.name}/chat?${query}`;
  const opened = await signedIn(context, service.url, tenant.key, address);
  const answer = (environment: string) => opened.page.getByRole('region', { name: environment });
  const { prisma } = service.database;
  const where = { agentId: agent.id };
  return {
    ...opened,
    agent,
    answer,
    invocations: () => prisma.invocation.findMany({ where, orderBy: { environment: 'asc' } }),
    counts: async () => [
      await prisma.memoryEntry.count({ where }),
      await prisma.pausedRun.count({ where }),
    ],
  };
}

browserTest(
  'both answers are shown side by side, and nothing is kept or waits',
  async (context) => {
    const opened = await openComparison(context, 'session=chat-1');
    const { page, pageErrors, agent, answer, invocations, counts } = opened;
    fixture.provider.behave(refund, said('Never said.'));
    await page.getByRole('button', { name: 'Compare' }).click();
    expect(await page.getByLabel('Environment').inputValue()).toBe('production');
    expect(await page.getByLabel('Compared with').inputValue()).toBe('draft');
    // Choosing the environment of the other side exchanges the two.
    await page.getByLabel('Environment').selectOption('draft');
    await page.getByText('Send one message to draft and production').waitFor();
    await sendMessage(page, 'Refund order 7.');
    await answer('production').getByText('completed').waitFor();
    await answer('production').getByText('Refund order 7.').waitFor();
    await answer('production')
      .getByText(/\d tokens.* · \d/)
      .waitFor();
    await answer('production').getByText('finish reason: stop').waitFor();
    await answer('draft').getByText('requires approval').waitFor();
    await answer('draft').getByText('"order_id": "7"').waitFor();
    await answer('draft').getByText('Its run is closed').waitFor();
    await page
      .getByRole('status')
      .getByText('draft: requires approval, production: completed')
      .waitFor({ state: 'attached' });
    const ran = await invocations();
    expect(ran.map(({ environment, userId }) => [environment, userId])).toEqual([
      ['draft', null],
      // That of production is not stored.
      [null, null],
    ]);
    expect(await counts()).toEqual([0, 0]);
    const paused = ran.find(({ environment }) => environment === 'draft');
    const late = resume(agent, paused?.id ?? '', { headers: idempotent() });
    await fixture.tenant.api.expect('invokeAgent', 409, late);
    expect(shop.received).toEqual([]);
    const places = async () => {
      const [draft, production] = [
        await answer('draft').boundingBox(),
        await answer('production').boundingBox(),
      ];
      return { draft: draft?.y, production: production?.y };
    };
    await page.setViewportSize({ width: 700, height: 900 });
    const beside = await places();
    expect(beside.production).toBe(beside.draft);
    await page.setViewportSize({ width: 699, height: 900 });
    const below = await places();
    expect(below.production).toBeGreaterThan(below.draft ?? Infinity);
    await expectToFit(page);
    await answer('draft').getByRole('link', { name: 'Log' }).click();
    await page.waitForURL(/logs\?request=req_/);
    await page.goBack();
    await answer('draft').getByText('Its run is closed').waitFor();
    // The chat is where it was, and a reload brings no comparison back.
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText(`Send a message to ${agent.name}`).waitFor();
    expect(new URL(page.url()).searchParams.get('session')).toBe('chat-1');
    await page.goBack();
    await page.reload();
    await page.getByText('Send one message to draft and production').waitFor();
    expect(await answer('draft').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  },
);

browserTest('an environment that fails says so in its column only', async (context) => {
  const { page, answer } = await openComparison(context, 'compare=gone');
  await sendMessage(page, 'Hello');
  await answer('production').getByText('completed').waitFor();
  const alert = answer('gone').getByRole('alert');
  await alert.getByText(/no active deployment .* in the environment 'gone'/).waitFor();
  await answer('gone').getByText('failed', { exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
});

browserTest('what is closed in vain is said, with the reason', async (context) => {
  const { page, answer, counts } = await openComparison(context, 'compare=draft');
  fixture.provider.behave(refund);
  await page.route(/\/invoke$/, (route) =>
    route.request().headers()['prefer'] === 'cancel' ? route.abort() : route.continue(),
  );
  await sendMessage(page, 'Refund order 7.');
  await answer('draft').getByText('somebody may still give it').waitFor();
  await answer('draft').getByRole('alert').getByText('The service does not respond.').waitFor();
  expect(await counts()).toEqual([0, 1]);
});

browserTest('a comparison that is stopped stops what still runs', async (context) => {
  const { page, answer, invocations } = await openComparison(context, 'compare=draft');
  fixture.provider.behave(hang);
  await sendMessage(page, 'Hello');
  await answer('production').getByText('completed').waitFor();
  await fixture.provider.asked(1);
  await page.getByRole('button', { name: 'Stop' }).click();
  await answer('draft').getByText('You stopped the reply.').waitFor();
  expect(await answer('production').getByText('completed').count()).toBe(1);
  const [draft] = await invocations();
  expect(draft).toMatchObject({ environment: 'draft', errorCode: 'cancelled' });
});

browserTest(
  'a page that is left, signed out of or closed leaves nothing running',
  async (context) => {
    const { page, invocations } = await openComparison(context, 'compare=draft');
    fixture.provider.behave(hang, hang, hang);
    const cancelled = async (count: number) => {
      await eventually(async () => {
        const drafts = (await invocations()).filter(({ environment }) => environment === 'draft');
        expect(drafts.map(({ errorCode }) => errorCode)).toEqual(Array(count).fill('cancelled'));
      }, slowTimeoutMs);
    };
    await sendMessage(page, 'Hello');
    await fixture.provider.asked(1);
    await page.getByRole('link', { name: 'Memory' }).click();
    await cancelled(1);
    await page.goBack();
    await sendMessage(page, 'Hello');
    await fixture.provider.asked(2);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await cancelled(2);
    await enterKey(page, fixture.tenant.key);
    await sendMessage(page, 'Hello');
    await fixture.provider.asked(3);
    await page.close();
    await cancelled(3);
  },
);

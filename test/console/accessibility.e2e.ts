/** Accessibility of every page: axe, both themes, narrow and wide screens, and keyboard-only use. */
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { browserTest } from '../helpers/programs/browser.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { eventually } from '../helpers/eventually.js';
import { recordHistory } from '../helpers/database/history.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { serverSentEvent } from '../client/stub-server.js';
import {
  answerInvocations,
  enterKey,
  expectToFit,
  openConsole,
  slowTimeoutMs,
  signedIn,
  streamOf,
} from './console.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service);
const agent = useAgent(tenant, { name: 'support-bot' });

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

beforeAll(async () => {
  const at = Date.now() - 120_000;
  const owner = { accountId: tenant.accountId, agentId: agent.id };
  await recordHistory(service.database, owner, [
    {
      at,
      durationMs: 300,
      failed: true,
      logs: [
        { at, level: 'error', message: 'Something failed.' },
        { at, level: 'warn', message: 'Something is odd.' },
        { at, level: 'debug', message: 'Something is ordinary.' },
      ],
      said: [{ content: 'The parcel arrived', role: 'user' }],
      userId: 'user-1',
      sessionId: 'chat-1',
    },
  ]);
  const deploying = deploymentCalls(tenant);
  await deploying.deploy(agent.id, '1.0.0');
  await deploying.deploy(agent.id, '1.1.0');
  await tenant.api.expect('createWebhook', 201, {
    body: { url: 'https://hooks.acme.example/agents', events: ['agent.failed'] },
  });
});

/** Each page, with the steps until it shows everything. */
const pages: [string, (page: Page) => Promise<void>][] = [
  ['agents', (page) => page.getByText('1.1.0').waitFor()],
  ['overview', (page) => page.getByRole('row', { name: 'support-bot' }).waitFor()],
  [
    'agents/support-bot/chat',
    async (page) => {
      await page.getByLabel('Message to support-bot').fill('Hello');
      await page.keyboard.press('Enter');
      await page.getByText('Invocation answered').waitFor();
    },
  ],
  [
    'agents/support-bot/chat?session=cut',
    async (page) => {
      const done = { response: 'It', request_id: 'req_1', tokens_used: 1, duration_ms: 1 };
      const cut = serverSentEvent('done', { ...done, finish_reason: 'length' });
      await answerInvocations(page, streamOf(cut));
      await page.getByLabel('Message to support-bot').fill('Hello');
      await page.keyboard.press('Enter');
      await page.getByText('The reply is cut').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    },
  ],
  [
    'agents/support-bot/chat?session=approval',
    async (page) => {
      const done = { response: '', request_id: 'req_1', tokens_used: 1, duration_ms: 1 };
      const call = { tool: 'refund', arguments: { order_id: '5'.repeat(200) }, approver: 'caller' };
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const approvals = ['call_1', 'call_2'].map((call_id) => ({ ...call, call_id, expires_at }));
      const waiting = serverSentEvent('done', { ...done, status: 'requires_approval', approvals });
      await answerInvocations(page, streamOf(waiting));
      await page.getByLabel('Message to support-bot').fill('Refund it');
      await page.keyboard.press('Enter');
      await page.getByLabel('Reject').first().check();
      await page.getByLabel('Reason').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    },
  ],
  [
    'agents/support-bot/chat?compare=draft',
    async (page) => {
      const done = { response: 'It', request_id: 'req_1', tokens_used: 1, duration_ms: 1 };
      const call = { call_id: 'call_1', tool: 'refund', arguments: { order_id: '5'.repeat(200) } };
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const approvals = [{ ...call, approver: 'caller', expires_at }];
      const waiting = serverSentEvent('done', { ...done, status: 'requires_approval', approvals });
      // The answer to the request that closes it, too, so that there is an error.
      await answerInvocations(page, streamOf(waiting));
      await page.getByLabel('Message to support-bot').fill('Refund it');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').nth(1).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    },
  ],
  [
    'agents/support-bot/deployments',
    (page) => page.getByRole('button', { name: 'Roll back' }).waitFor(),
  ],
  [
    'agents/support-bot/logs',
    async (page) => {
      await page.getByLabel('Log entries').getByText('Something failed.').click();
      await page.getByLabel('Selected entry').waitFor();
    },
  ],
  ['agents/support-bot/metrics?range=1h', (page) => page.locator('canvas').nth(2).waitFor()],
  ['agents/support-bot/memory?q=parcel', (page) => page.locator('mark').first().waitFor()],
  ['agents/support-bot/settings', (page) => page.getByLabel('Model').waitFor()],
  ['agents/missing-bot', (page) => page.getByRole('alert').waitFor()],
  ['webhooks', (page) => page.getByText('hooks.acme.example').waitFor()],
  [
    'keys',
    async (page) => {
      await page.getByRole('row', { name: 'test key' }).first().waitFor();
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name', { exact: true }).waitFor();
    },
  ],
  ['nowhere', (page) => page.getByText('There is no such page').waitFor()],
];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`,
  );
}

describe('every page', () => {
  // Contrast depends on the theme but not on the width.
  const looks = [
    { theme: 'light', width: 1440, other: 375 },
    { theme: 'dark', width: 375, other: 1440 },
  ] as const;
  for (const { theme, width, other } of looks) {
    browserTest(`passes axe and fits the screen, ${theme} and ${width} wide`, async (context) => {
      const { page, open, pageErrors } = await openConsole(context, service.url);
      await page.emulateMedia({ colorScheme: theme });
      const found = await violationsOn(page);
      await enterKey(page, tenant.key);
      await page.getByRole('heading', { name: 'Agents' }).waitFor();
      for (const [address, prepare] of pages) {
        await page.setViewportSize({ width, height: 900 });
        await open(address);
        await prepare(page);
        const violations = await violationsOn(page);
        found.push(...violations.map((violation) => `${address}: ${violation}`));
        await expectToFit(page);
        await page.setViewportSize({ width: other, height: 900 });
        await expectToFit(page);
      }
      expect([found, pageErrors]).toEqual([[], []]);
    });
  }

  browserTest('keeps the chosen theme after a reload', async (context) => {
    const { page } = await signedIn(context, service.url, tenant.key);
    await page.emulateMedia({ colorScheme: 'light' });
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: /^Theme: system/ }).click();
    await page.getByRole('button', { name: /^Theme: light/ }).click();
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
    expect(await background()).toBe(dark);
  });
});

describe('the keyboard', () => {
  browserTest(
    'opens the first match of the palette, even if Enter is pressed before the agents are loaded',
    async (context) => {
      const { page } = await signedIn(context, service.url, tenant.key);
      await page.getByRole('heading', { name: 'Agents' }).waitFor();
      let answer: () => void = () => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      await page.route(
        ({ pathname }) => pathname.endsWith('/v1/agents'),
        async (route) => {
          await answered;
          await route.continue();
        },
      );
      await page.keyboard.press('Control+k');
      await page.keyboard.type('agent support');
      await page.keyboard.press('Enter');
      await page.getByText('No matches.').waitFor();
      answer();
      await page.getByRole('heading', { name: 'support-bot', exact: true }).waitFor();
    },
  );

  browserTest('reaches every page', async (context) => {
    const { page } = await signedIn(context, service.url, tenant.key);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // Repeated, since a slow machine may exceed the time allowed between the two keys.
    const go = (keys: [string, string], target: Locator) =>
      eventually(async () => {
        await press(...keys);
        await target.waitFor({ timeout: 3_000 });
      }, slowTimeoutMs);
    await go(['g', 'w'], page.getByRole('heading', { name: 'Webhooks' }));
    await go(['g', 'k'], page.getByRole('heading', { name: 'Keys' }));
    await press('Control+k');
    await page.keyboard.type('agent support');
    await press('Enter');
    await page.getByRole('heading', { name: 'support-bot', exact: true }).waitFor();
    await go(['g', 'l'], page.getByLabel('Log entries'));
    await press('/');
    // Keys typed into a field are not shortcuts.
    await page.keyboard.type('g a');
    expect(await page.getByLabel('Filter by text').inputValue()).toBe('g a');
    await page.getByRole('heading', { name: 'support-bot', exact: true }).click();
    await press('?');
    await page.getByRole('dialog').getByText('Search or filter on this page').waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go(['g', 'a'], page.getByRole('heading', { name: 'Agents' }));
    // The first Tab focuses the skip link, with a visible outline.
    await page.reload();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const outline = `getComputedStyle(document.activeElement).outlineStyle`;
    await press('Tab');
    expect(await page.evaluate(outline)).not.toBe('none');
  });
});

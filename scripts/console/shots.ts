/** Takes a screenshot of each page of the console once it shows its data. */

import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from './demo.js';

interface Shot {
  name: string;
  /** Relative to the console. */
  address: string;
  /** Runs before the screenshot, and resolves when the page is ready. */
  prepare: (page: Page) => Promise<void>;
}

const shots: Shot[] = [
  {
    name: 'agents',
    address: 'agents',
    prepare: async (page) => {
      await page.getByRole('row', { name: 'support-bot' }).getByRole('img').nth(1).waitFor();
      // On a narrow screen the other rows are out of view and not loaded.
      const isWide = (page.viewportSize()?.width ?? 0) >= 800;
      if (isWide) await page.locator('.placeholder').first().waitFor({ state: 'detached' });
    },
  },
  {
    name: 'overview',
    address: 'overview',
    prepare: (page) => page.getByRole('row', { name: 'support-bot' }).waitFor(),
  },
  {
    name: 'chat',
    address: 'agents/support-bot/chat?session=chat-77&user=user-2041',
    prepare: async (page) => {
      const message = page.getByLabel('Message to support-bot');
      await message.fill('Where is my order 5512?');
      await message.press('Enter');
      await page.getByText('148 tokens').waitFor();
      await page.getByText('Invocation answered').waitFor();
    },
  },
  {
    name: 'approval',
    address: 'agents/support-bot/chat?session=chat-78&user=user-2041',
    prepare: async (page) => {
      await page.route(/\/invoke$/, (route) =>
        route.fulfill({ contentType: 'text/event-stream', body: waitingReply() }),
      );
      const message = page.getByLabel('Message to support-bot');
      await message.fill('Please refund order 5512 and tell my colleague.');
      await message.press('Enter');
      await page.getByLabel('Approve').first().check();
      await page.getByLabel('Reject').last().check();
      await page.unroute(/\/invoke$/);
    },
  },
  {
    name: 'comparison',
    address: 'agents/support-bot/chat?environment=draft&compare=production&user=user-2041',
    prepare: async (page) => {
      const message = page.getByLabel('Message to support-bot');
      await message.fill('Where is my order 5512?');
      await message.press('Enter');
      await page.getByText('148 tokens').nth(1).waitFor();
    },
  },
  {
    name: 'deployments',
    address: 'agents/support-bot/deployments',
    prepare: (page) => page.getByRole('button', { name: 'Roll back' }).waitFor(),
  },
  {
    name: 'logs',
    address: 'agents/support-bot/logs',
    prepare: async (page) => {
      await page.getByLabel('Log entries').getByRole('option').nth(3).click();
      await page.getByLabel('Selected entry').waitFor();
    },
  },
  {
    name: 'metrics',
    address: 'agents/support-bot/metrics',
    prepare: (page) => page.locator('canvas').nth(2).waitFor(),
  },
  {
    name: 'memory',
    address: 'agents/support-bot/memory?q=parcel+arrived',
    prepare: (page) => page.locator('mark').first().waitFor(),
  },
  {
    name: 'settings',
    address: 'agents/support-bot/settings',
    prepare: (page) => page.getByLabel('Model').waitFor(),
  },
  {
    name: 'webhooks',
    address: 'webhooks',
    prepare: (page) => page.getByRole('row', { name: 'hooks.acme.example' }).waitFor(),
  },
  {
    name: 'keys',
    address: 'keys',
    prepare: (page) => page.getByRole('row', { name: 'Help desk' }).waitFor(),
  },
  {
    name: 'new-key',
    address: 'keys',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name', { exact: true }).waitFor();
    },
  },
  {
    name: 'palette',
    address: 'agents/support-bot/metrics',
    prepare: async (page) => {
      await page.locator('canvas').nth(2).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByLabel('Matches').getByRole('option').first().waitFor();
    },
  },
];

/** A stream with tool calls that wait for approval, which the models of the demo do not make. */
function waitingReply(): string {
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const result = {
    response: 'I can refund order 5512. That needs your approval.',
    request_id: 'req_01m6dsg7e0eha8ks12y199e68y',
    tokens_used: 298,
    duration_ms: 860,
    status: 'requires_approval',
    approvals: [
      {
        call_id: 'call_1',
        tool: 'refund',
        arguments: { order_id: '5512', amount: 49.9, currency: 'EUR' },
        approver: 'caller',
        expires_at,
      },
      {
        call_id: 'call_2',
        tool: 'mail_send',
        arguments: { to: 'sam@acme.example', subject: 'Refund of order 5512' },
        approver: 'manage',
        expires_at,
      },
    ],
  };
  return `event: done\ndata: ${JSON.stringify(result)}\n\n`;
}

const looks = [
  { theme: 'light', width: 1440, height: 900 },
  { theme: 'dark', width: 1440, height: 900 },
  { theme: 'light', width: 375, height: 812 },
  { theme: 'dark', width: 375, height: 812 },
] as const;

/** Returns the number of screenshots. */
export async function takeShots(
  browser: Browser,
  { url, key }: Demo,
  folder: string,
): Promise<number> {
  for (const { theme, width, height } of looks) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const take = (name: string) =>
      page.screenshot({ path: path.join(folder, `${name}-${theme}-${width}.png`) });
    await page.goto(`${url}/console/`);
    await page.getByLabel('API key').fill(key);
    await take('sign-in');
    await page.getByLabel('Keep it in this tab').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    for (const { name, address, prepare } of shots) {
      await page.goto(`${url}/console/${address}`);
      await prepare(page);
      await take(name);
    }
    await context.close();
  }
  return looks.length * (shots.length + 1);
}

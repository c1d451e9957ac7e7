/** The console shows correct information: times, messages, charts, totals and ids. */
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../helpers/programs/browser.js';
import { deploymentCalls } from '../helpers/service/deployments.js';
import { recordHistory } from '../helpers/database/history.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { openConsole, signedIn } from './console.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true', WORKER: 'off' });
const tenant = useTenant(service);

async function agentWithTraffic(name: string): Promise<string> {
  const { id } = await tenant.newAgent({ name });
  const start = Date.now();
  await recordHistory(
    service.database,
    { accountId: tenant.accountId, agentId: id },
    Array.from({ length: 20 }, (_, index) => ({
      at: start - 60_000 * (1 + index),
      durationMs: 10 * (index + 1),
      failed: index % 10 === 0,
      logs: [],
    })),
  );
  return id;
}

/** By how many pixels the text of an input is wider than its box. */
function overflowOf(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const { scrollWidth, clientWidth } = document.querySelector('${selector}');
    return scrollWidth - clientWidth;
  })()`);
}

describe('past times', () => {
  browserTest('are never shown as future, even if the clock is wrong', async (context) => {
    await tenant.newAgent({ name: 'fresh-bot' });
    const { page } = await openConsole(context, service.url, 'agents');
    // The clock of the browser is behind that of the service.
    await page.clock.setFixedTime(Date.now() - 20_000);
    await page.reload();
    await page.getByLabel('API key').fill(tenant.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const row = page.getByRole('row', { name: 'fresh-bot' });
    await row.getByText('just now').waitFor();
  });
});

describe('a message', () => {
  browserTest('replaces the previous one, which may no longer be true', async (context) => {
    const { id, name } = await tenant.newAgent({ name: 'rolled-bot' });
    const deploying = deploymentCalls(tenant);
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await deploying.deploy(id, version);
    const { page } = await signedIn(context, service.url, tenant.key, `agents/${name}/deployments`);
    for (const [from, to] of [
      ['1.2.0', '1.1.0'],
      ['1.1.0', '1.0.0'],
    ] as const) {
      await page
        .getByRole('row', { name: from })
        .getByRole('button', { name: 'Roll back' })
        .click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Roll back ${from}` })
        .click();
      await page.locator('.toast').getByText(`Version ${to} is active in production`).waitFor();
      expect(await page.locator('.toast').count()).toBe(1);
    }
  });
});

describe('a new key', () => {
  browserTest('stays visible until the user confirms that it is stored', async (context) => {
    const { page } = await signedIn(context, service.url, tenant.key, 'keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Once');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = page.getByText(/^ahs_\w{46}$/);
    await key.waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Store the key now').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await key.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await key.waitFor({ state: 'detached' });
  });
});

describe('metrics', () => {
  browserTest('explain their marks, and show the mean and percentiles', async (context) => {
    await agentWithTraffic('explained-bot');
    for (let message = 0; message < 3; message += 1) {
      await tenant.api.expect('invokeAgent', 200, {
        path: { agent_id: 'explained-bot' },
        body: { message: 'Hello' },
      });
    }
    const address = 'agents/explained-bot/metrics?range=1h';
    const { page } = await signedIn(context, service.url, tenant.key, address);
    await page.getByText('invocations failed at this time').waitFor();
    await page.getByText('this version went live in production').waitFor();
    await page.getByRole('heading', { name: 'Mean response time' }).waitFor();
    await page.getByText(/^p50 \d+ ms, p95 \d+ ms of the latest 3 invocations$/).waitFor();
  });
});

describe('the overview', () => {
  browserTest('shows traffic, errors and tokens of the account by agent', async (context) => {
    await agentWithTraffic('counted-bot');
    await tenant.newAgent({ name: 'idle-bot' });
    const { page, pageErrors } = await signedIn(context, service.url, tenant.key);
    await page.getByRole('link', { name: 'Overview' }).click();
    const row = page.getByRole('row', { name: 'counted-bot' });
    await row.getByText('20', { exact: true }).waitFor();
    await row.getByText('2 (10 %)').waitFor();
    const idle = page.getByRole('row', { name: 'idle-bot' });
    expect(await idle.getByText('–').count()).toBe(1);
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Throughput' }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('the frame', () => {
  browserTest('shows the logo before signing in, and links to the docs', async (context) => {
    const { page } = await openConsole(context, service.url);
    await page.locator('.sign-in img').waitFor();
    const decoded = `document.querySelector('.sign-in img').decode().then(() => 'a picture')`;
    expect(await page.evaluate(decoded)).toBe('a picture');
    const docs = () => page.getByRole('link', { name: 'Doc' }).getAttribute('href');
    expect(await docs()).toBe(`${service.url}/docs`);
    await page.getByLabel('API key').fill(tenant.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/^[\d,]+ of [\d,]+ requests left$/).waitFor();
    expect(await docs()).toBe(`${service.url}/docs`);
  });

  browserTest('shows complete session ids on wide and narrow screens', async (context) => {
    await tenant.newAgent({ name: 'session-bot' });
    const { page } = await signedIn(context, service.url, tenant.key, 'agents/session-bot/chat');
    for (const width of [1440, 900, 375]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('button', { name: 'New session' }).click();
      expect([width, await overflowOf(page, '.session input')]).toEqual([width, 0]);
    }
  });
});

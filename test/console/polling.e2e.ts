/** The console polls sparingly: not in hidden tabs, and it leaves most of the rate limit to others. */
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../helpers/programs/browser.js';
import { eventually } from '../helpers/eventually.js';
import { useService } from '../helpers/service/service.js';
import { slowTimeoutMs, signedIn } from './console.js';

const service = useService();

function countRequests(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) count += 1;
  });
  return () => count;
}

describe('the console', () => {
  browserTest('leaves requests to others if the rate limit is low', async (context) => {
    const tenant = await service.tenant({ tier: 'free' });
    for (let index = 0; index < 40; index += 1) await tenant.newAgent();
    const { page } = await signedIn(context, service.url, tenant.key, 'agents');
    await page.setViewportSize({ width: 1440, height: 4_000 });
    // It loads rows until the reserve is reached, then waits with the rest.
    await page.getByText(/^(2\d|3[0-3]) of 100 requests left$/).waitFor();
    await page.locator('.agents .placeholder').first().waitFor();
    const { headers, status } = await tenant.api.call('listWebhooks');
    expect(status).toBe(200);
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(10);
  });

  browserTest('sends no requests while its tab is hidden', async (context) => {
    const tenant = await service.tenant();
    const agent = await tenant.newAgent({ name: 'followed-bot' });
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: agent.id },
      body: { message: 'Hello' },
    });
    const address = `agents/${agent.name}/logs?follow=on`;
    const hidden = await signedIn(context, service.url, tenant.key, address);
    await hidden.page.getByLabel('Log entries').waitFor();
    await hidden.page.evaluate(`Object.defineProperty(document, 'hidden', { value: true })`);
    const visible = await signedIn(context, service.url, tenant.key, address);
    await visible.page.getByLabel('Log entries').waitFor();
    const [sentHidden, sentVisible] = [hidden.page, visible.page].map(countRequests);
    await eventually(() => {
      expect(sentVisible?.()).toBeGreaterThanOrEqual(4);
    }, slowTimeoutMs);
    expect(sentHidden?.()).toBe(0);
  });
});

/** The console when the service restarts, when the page is outdated, and behind a proxy that adds a prefix. */
import { request } from 'node:http';
import { describe, expect } from '@jest/globals';
import { browserTest } from '../helpers/programs/browser.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { signedIn } from './console.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant, { name: 'support-bot' });

describe('while the service restarts', () => {
  browserTest('the page reports it, keeps its data, and continues afterwards', async (context) => {
    const first = await service.another();
    const { port } = new URL(first.url);
    const { page, pageErrors } = await signedIn(
      context,
      first.url,
      tenant.key,
      `agents/${agent.name}/logs?follow=on`,
    );
    const say = (message: string) =>
      tenant.api.expect('invokeAgent', 200, { path: { agent_id: agent.id }, body: { message } });
    await say('Before');
    const received = page.getByLabel('Log entries').getByText('Invocation answered');
    await received.first().waitFor();
    await first.stop();
    const banner = page.getByText('The service does not respond. This page may be out of date');
    await banner.waitFor();
    expect(await received.count()).toBe(1);
    // A message that is sent meanwhile fails with the same reason.
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByLabel('Message to support-bot').fill('Are you there?');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The service does not respond.').waitFor();
    await say('Meanwhile');
    await service.another({ PORT: port });
    await banner.waitFor({ state: 'detached' });
    await page.getByLabel('Message to support-bot').fill('Welcome back');
    await page.keyboard.press('Enter');
    await page.locator('.message.agent').getByText('Welcome back').waitFor();
    await page.getByRole('link', { name: 'Logs', exact: true }).click();
    await received.nth(2).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('a page of the previous release', () => {
  browserTest('asks for a reload if a file is missing', async (context) => {
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: agent.id },
      body: { message: 'Hello' },
    });
    await context.route('**/assets/draw-chart-*', (route) => route.fulfill({ status: 404 }));
    const { page, pageErrors } = await signedIn(
      context,
      service.url,
      tenant.key,
      `agents/${agent.name}/metrics?range=1h`,
    );
    await page.getByRole('alert').first().getByText('reload the page').waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('behind a proxy that adds a prefix', () => {
  browserTest('everything stays below the prefix', async (context) => {
    const prefix = '/tools/agents';
    const { hostname, port } = new URL(service.url);
    const outside: string[] = [];
    const proxy = await startHttpServer((req, res) => {
      const address = req.url ?? '';
      if (!address.startsWith(`${prefix}/`)) {
        outside.push(address);
        res.writeHead(404).end();
        return;
      }
      const { method, headers } = req;
      const path = address.slice(prefix.length);
      const forwarded = request({ hostname, port, path, method, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      req.pipe(forwarded);
    });
    try {
      const url = proxy.url + prefix;
      const { page, open, pageErrors } = await signedIn(context, url, tenant.key);
      await page.getByRole('link', { name: agent.name }).click();
      await page.waitForURL(`${url}/console/agents/support-bot*`);
      await page.getByLabel('Message to support-bot').fill('Through the proxy');
      await page.keyboard.press('Enter');
      await page.locator('.message.agent').getByText('Through the proxy').waitFor();
      await open(`agents/${agent.name}/metrics?range=1h`);
      await page.locator('canvas').nth(2).waitFor();
      expect([outside, pageErrors]).toEqual([[], []]);
    } finally {
      await proxy.stop();
    }
  });
});

/** The documentation is a single file that shows every operation and makes no requests. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { errorStatus } from '../../generated/operations.js';
import { manifestSchema, serviceVersion } from '../../server/contract/project-files.js';
import { browserTest } from '../helpers/programs/browser.js';
import { operations, tags } from '../helpers/service/contract.js';
import { eventually } from '../helpers/eventually.js';
import { root, runScript, temporaryFolder } from '../helpers/programs/workspace.js';

/** Every property name in the manifest schema. */
const manifestFields = [
  ...new Set(namesIn(JSON.parse(await readFile(manifestSchema, 'utf8')) as unknown)),
];

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]: [string, unknown]) =>
    keyword === 'properties'
      ? [...Object.keys(value as object), ...namesIn(value)]
      : namesIn(value),
  );
}

let file: string;
let printed: string;

beforeAll(async () => {
  file = path.join(await temporaryFolder(), 'docs/index.html');
  const { code, stdout, stderr } = await runScript('docs', ['--out', file]);
  expect([code, stderr]).toEqual([0, '']);
  printed = stdout;
});

/** Opens the page with the network blocked, and records attempted requests and console errors. */
async function opened(context: BrowserContext) {
  const requests: string[] = [];
  const complaints: string[] = [];
  await context.setOffline(true);
  const page = await context.newPage();
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(pathToFileURL(file).href);
  await menuEntry(page, tags[0]?.title ?? '').waitFor();
  return { page, requests, complaints };
}

function menuEntry(page: Page, title: string) {
  return page.locator('.menu-content').getByText(title, { exact: true });
}

/** A group opens when it scrolls into view, and a click on an open group closes it; so clicks until it is open. */
async function openGroup(page: Page, title: string, first: string): Promise<void> {
  await eventually(async () => {
    const isOpen = await menuEntry(page, first).isVisible();
    if (!isOpen) await menuEntry(page, title).click();
    await menuEntry(page, first).waitFor({ timeout: 3_000 });
  }, 30_000);
}

describe('npm run docs', () => {
  test('writes one file with a title and a description, and says how large it is', async () => {
    const html = await readFile(file, 'utf8');
    expect(printed).toMatch(/index\.html +\d\.\d MB/);
    expect(html).toContain('<title>Agent Hosting Service</title>');
    expect(html).toMatch(/<meta name="description" content="[^"{]+"/);
    expect(html).toContain('import hmac');
    expect(html).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/);
  });

  browserTest('the page shows every operation and makes no requests', async (context) => {
    const { page, requests, complaints } = await opened(context);
    await page.getByText(`Agent Hosting Service (${serviceVersion})`).waitFor();
    const seen: string[] = [];
    for (const { name, title } of tags) {
      const summaries = operations.filter(({ tag }) => tag === name).map(({ summary }) => summary);
      const [first = title] = summaries;
      await openGroup(page, title, first);
      for (const summary of summaries) await menuEntry(page, summary).waitFor();
      // Sections are rendered when they scroll into view; the first section of each group stands for the others.
      await menuEntry(page, first).click();
      await page.locator('h1, h2').getByText(first, { exact: true }).waitFor();
      seen.push(...summaries);
    }
    expect(seen.toSorted()).toEqual(operations.map(({ summary }) => summary).toSorted());
    // Embedded content needs no request either.
    const calls = requests.filter((url) => !/^(data|blob):/.test(url));
    expect(calls).toEqual([pathToFileURL(file).href]);
    expect(complaints).toEqual([]);
  });

  browserTest('has guides and pages about manifests, errors and changes', async (context) => {
    const { page } = await opened(context);
    const changes = await readFile(path.join(root, 'spec/CHANGELOG.md'), 'utf8');
    const [, newestContract = ''] = /^## (\d\S+)/m.exec(changes) ?? [];
    expect(newestContract).not.toBe('');
    const contents: [title: string, texts: string[]][] = [
      ['Receiving webhooks', ['verify every delivery']],
      ['TypeScript SDK', ['npm pack -w client']],
      ['Command line', ['npx agent-hosting']],
      ['Troubleshooting', ['npx agent-hosting logs']],
      ['HTTP agents', ['http/orders']],
      ['Agent manifests', manifestFields],
      ['Error catalogue', Object.keys(errorStatus)],
      ['Contract changelog', [newestContract]],
    ];
    for (const [title, texts] of contents) {
      await menuEntry(page, title).click();
      await page.locator('h1, h2').getByText(title, { exact: true }).waitFor();
      // Parts of a page are rendered when they scroll into view; these are at its beginning.
      await eventually(async () => {
        const shown = await page.locator('body').innerText();
        expect(texts.filter((text) => !shown.includes(text))).toEqual([]);
      });
    }
  });

  browserTest('every menu entry can be opened in a new tab', async (context) => {
    const { page } = await opened(context);
    await openGroup(page, tags[0]?.title ?? '', operations[0]?.summary ?? '');
    const links = await page.evaluate<{ href: string; title: string }[]>(
      `Array.from(document.querySelectorAll('.menu-content a'), ({ href, textContent: title }) => ({ href, title }))`,
    );
    const inner = links.filter(({ href }) => !href.startsWith('https://redocly.com/'));
    expect(inner.length).toBeGreaterThan(20);
    expect(inner.filter(({ href }) => !href.startsWith(`${pathToFileURL(file).href}#/`))).toEqual(
      [],
    );
    const { href = '' } = inner.find(({ title }) => title === 'Rate limits') ?? {};
    const tab = await context.newPage();
    await tab.goto(href);
    await tab.locator('h2').getByText('Rate limits', { exact: true }).waitFor();
    await eventually(async () => {
      const top = await tab.locator('h2').getByText('Rate limits', { exact: true }).boundingBox();
      expect(top?.y).toBeLessThan(200);
    });
  });

  browserTest(
    'a link to another site opens in a new tab without access to the page',
    async (context) => {
      const { page } = await opened(context);
      await menuEntry(page, 'Receiving webhooks').click();
      const link = page.getByRole('link', { name: 'Standard Webhooks' }).first();
      const popup = context.waitForEvent('page');
      await link.click();
      const other = await popup;
      expect(await other.evaluate('opener')).toBeNull();
      expect(await link.getAttribute('rel')).toBe('noopener');
      expect(page.url()).toContain(pathToFileURL(file).href);
    },
  );

  browserTest('links to the contract, which is served next to it', async (context) => {
    const { page } = await opened(context);
    for (const name of ['openapi.json', 'openapi.yaml']) {
      const href = await page.getByRole('link', { name, exact: true }).getAttribute('href');
      const linked = new URL(href ?? '', pathToFileURL(file));
      expect(await readFile(linked, 'utf8')).toBe(
        await readFile(path.join(root, 'generated', name), 'utf8'),
      );
    }
  });

  browserTest('shows an operation in three languages', async (context) => {
    const { page } = await opened(context);
    const summary = operations[0]?.summary ?? '';
    await openGroup(page, tags[0]?.title ?? '', summary);
    await menuEntry(page, summary).click();
    const languages = page.getByRole('button', { name: 'curl' }).first();
    // At the end of the screen the opened menu does not fit below it.
    await languages.evaluate('(button) => { button.scrollIntoView({ block: "center" }); }');
    await languages.click();
    await page.getByRole('menuitem', { name: 'Python' }).first().waitFor();
    await page.getByRole('menuitem', { name: 'TypeScript SDK' }).first().click();
    await page.getByText("'@agent-hosting/client'").first().waitFor();
  });

  browserTest('fits a phone screen', async (context) => {
    const { page } = await opened(context);
    await page.setViewportSize({ width: 390, height: 844 });
    await eventually(async () => {
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBe(390);
    });
  });

  browserTest('the search finds an operation', async (context) => {
    const { page, complaints } = await opened(context);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('rollback');
    const summary = operations.find(
      ({ operationId }) => operationId === 'rollbackDeployment',
    )?.summary;
    await page
      .getByTestId('search-dialog')
      .getByText(summary ?? '')
      .waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('the search finds the headings of guides and links to them', async (context) => {
    const { page, complaints } = await opened(context);
    const dialog = page.getByTestId('search-dialog');
    for (const words of [
      'structured output',
      'function calling',
      'system prompt',
      'streaming',
      'troubleshooting',
      'rate limits',
    ]) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(words);
      const title = new RegExp(`^${words}`, 'i');
      const hits = dialog.locator('a');
      const hit = hits.filter({ has: page.getByText(title) }).first();
      await hit.waitFor();
      const href = await hit.getAttribute('href');
      await eventually(async () => {
        const firstThree = await page.evaluate<(string | null)[]>(
          `Array.from(document.querySelectorAll('[data-testid="search-dialog"] a'), (link) => link.getAttribute('href')).slice(0, 3)`,
        );
        expect(firstThree).toContain(href);
      });
      await hit.click();
      await eventually(async () => {
        expect(page.url()).toContain(href);
        const heading = page.locator('h1, h2, h3').getByText(title).first();
        const { y = -1 } = (await heading.boundingBox()) ?? {};
        expect(y).toBeGreaterThanOrEqual(0);
        expect(y).toBeLessThan(300);
      });
    }
    expect(complaints).toEqual([]);
  });

  browserTest('samples use the address of the service that serves the page', async (context) => {
    const html = await readFile(file, 'utf8');
    const server = createServer((_req, res) => {
      res.setHeader('Content-Type', 'text/html; charset=utf-8').end(html);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const service = `http://127.0.0.1:${port}/behind-a-proxy`;
      const complaints: string[] = [];
      const page = await context.newPage();
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${service}/docs`);
      await menuEntry(page, 'First request').click();
      await page.getByText(`curl ${service}/v1/agents/echo/invoke`).first().waitFor();
      expect(await page.locator('body').innerText()).not.toContain('127.0.0.1:3000');
      expect(complaints).toEqual([]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

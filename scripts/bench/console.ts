/** Measures the console in a browser: when it paints, when it can be used, and whether a long log scrolls without a pause. */
import type { Browser, Page } from 'playwright-core';
import { type Demo, startDemo } from '../console/demo.js';
import { startChromium } from '../lib/chromium.js';
import type { BenchContext } from './lib/context.js';
import { median } from './lib/statistics.js';
import { figure, type Table } from './lib/table.js';

/** A good connection to another city; on loopback alone nothing would be seen of the size of the page. */
const network = {
  offline: false,
  latency: 40,
  downloadThroughput: 10_000_000 / 8,
  uploadThroughput: 5_000_000 / 8,
};

/** More than 10 000 log entries in a day. */
const busyAgent = {
  name: 'busy-bot',
  model: 'builtin/echo',
  temperature: 0,
  versions: [],
  invocationsPerHour: 260,
  failures: 0.1,
};

export async function benchConsole({ rounds = 9, report }: BenchContext): Promise<void> {
  const browser = await startChromium();
  try {
    const demo = await startDemo([busyAgent]);
    try {
      report({
        title: 'Page load',
        note: `with 40 ms and 10 Mbit/s; medians of ${rounds}`,
        columns: ['first paint ms', 'usable ms', 'longest task ms'],
        rows: [
          await measureLoad(browser, demo, 1, rounds),
          await measureLoad(browser, demo, 4, rounds),
        ],
      });
      report(await measureScroll(browser, demo));
    } finally {
      await demo.stop();
    }
  } finally {
    await browser.close();
  }
}

/** Notes when the field for the key can be used, and every task that keeps the page from answering. */
const observe = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver(() => {
    if (document.querySelector('form input')) window.usableAt ??= performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

async function openPage(browser: Browser, slowdown: number): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', network);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(observe);
  return page;
}

async function measureLoad(
  browser: Browser,
  { url }: Demo,
  slowdown: number,
  rounds: number,
): Promise<Table['rows'][number]> {
  const times: [number, number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const page = await openPage(browser, slowdown);
    await page.goto(`${url}/console/`);
    await page.getByLabel('API key').waitFor();
    await page.waitForFunction(`performance.getEntriesByType('paint').length === 2`);
    times.push(
      await page.evaluate<[number, number, number]>(`[
        performance.getEntriesByName('first-paint')[0].startTime,
        usableAt,
        Math.max(0, ...longTasks),
      ]`),
    );
    await page.context().close();
  }
  const medianOf = (index: 0 | 1 | 2) => figure(median(times.map((row) => row[index])), 0);
  return {
    title: slowdown === 1 ? 'this processor' : `${slowdown} times slower`,
    figures: [medianOf(0), medianOf(1), medianOf(2)],
  };
}

async function measureScroll(browser: Browser, { url, key }: Demo): Promise<Table> {
  const page = await openPage(browser, 1);
  await page.goto(`${url}/console/agents/${busyAgent.name}/logs`);
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const list = page.getByLabel('Log entries');
  await list.waitFor();
  await list.hover();
  const shown = async () =>
    Number.parseInt((await page.locator('.log-count').innerText()).replaceAll(',', ''), 10);
  // Reads everything first, and then scrolls through it.
  while ((await shown()) < 10_000) {
    await page.mouse.wheel(0, 1_000_000);
    await page.waitForTimeout(100);
  }
  await page.mouse.wheel(0, -10_000_000);
  await page.waitForTimeout(500);
  await page.evaluate(`
    longTasks.length = 0;
    window.frames = [];
    (function note(before) {
      requestAnimationFrame((now) => { window.frames.push(now - before); note(now); });
    })(performance.now());
  `);
  for (let step = 0; step < 100; step += 1) {
    await page.mouse.wheel(0, 3_300);
    await page.waitForTimeout(30);
  }
  const [tasks, frames] = await page.evaluate<[number[], number[]]>('[longTasks, window.frames]');
  const slowest = frames.toSorted((one, other) => other - one);
  const result: Table = {
    title: 'Scrolling the log',
    note: `${await shown()} log entries, 100 turns of the wheel`,
    columns: ['tasks over 50 ms', 'longest ms', 'median frame ms', 'slowest of a hundred ms'],
    rows: [
      {
        title: 'log entries',
        figures: [
          figure(tasks.length, 0),
          figure(Math.max(0, ...tasks), 0),
          figure(median(frames), 1),
          figure(slowest[Math.floor(frames.length / 100)] ?? 0, 1),
        ],
      },
    ],
  };
  await page.context().close();
  return result;
}

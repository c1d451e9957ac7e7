/** Opens the console in a browser, and records the errors of its pages. */
import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { eventually } from '../helpers/eventually.js';

/** Long enough for slow machines. */
export const slowTimeoutMs = 60_000;

export interface Console {
  page: Page;
  /** Script errors, and violations of the content security policy. */
  pageErrors: string[];
  /** Loads another address of the console. */
  open: (address: string) => Promise<void>;
}

/** Opens an address of the console without signing in. */
export async function openConsole(
  context: BrowserContext,
  url: string,
  address = '',
): Promise<Console> {
  const pageErrors: string[] = [];
  context.setDefaultTimeout(slowTimeoutMs);
  const page = await context.newPage();
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => {
    // Requests that fail are part of several tests.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) pageErrors.push(message.text());
  });
  const open = async (next: string) => {
    await page.goto(`${url}/console/${next}`);
  };
  await open(address);
  return { page, pageErrors, open };
}

/** Opens an address of the console and signs in. The key is stored, so that other addresses can be opened. */
export async function signedIn(
  context: BrowserContext,
  url: string,
  key: string,
  address = '',
): Promise<Console> {
  const opened = await openConsole(context, url, address);
  await enterKey(opened.page, key);
  await opened.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return opened;
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Keep it in this tab').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function sendMessage(page: Page, message: string): Promise<void> {
  await page.getByLabel(/^Message to/).fill(message);
  await page.keyboard.press('Enter');
}

/** Answers the invocations of a page in place of the service. Returns how many there were. */
export async function answerInvocations(
  page: Page,
  answer: { status: number; contentType: string; body: string },
): Promise<() => number> {
  const isInvocation = (url: URL) => url.pathname.endsWith('/invoke');
  let count = 0;
  await page.unroute(isInvocation);
  await page.route(isInvocation, (route) => {
    count += 1;
    return route.fulfill(answer);
  });
  return () => count;
}

/** A stream of these events, as an answer to an invocation. */
export function streamOf(...events: string[]) {
  return { status: 200, contentType: 'text/event-stream', body: events.join('') };
}

/** The number of pixels of a chart that belong to its series, not to its axes. */
export function colouredPixels(page: Page, chart: number): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelectorAll('.chart canvas')[${chart}];
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let index = 0; index < data.length; index += 4) {
      const [red, green, blue, alpha] = data.slice(index, index + 4);
      const isColour = Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
      if (alpha > 200 && isColour) coloured += 1;
    }
    return coloured;
  })()`);
}

/** Expects that the page needs no horizontal scrolling. Waits, since charts are resized some frames later. */
export async function expectToFit(page: Page): Promise<void> {
  await eventually(async () => {
    const [content, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    expect(content).toBeLessThanOrEqual(screen);
  });
}

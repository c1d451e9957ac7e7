/** The console in a browser, signed in, with an eye on what it complains about. */
import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { eventually } from '../helpers/eventually.js';

/** For whatever a slow machine takes. */
export const patienceMs = 60_000;

export interface Console {
  page: Page;
  /** Errors of scripts, and violations of the page's policy. */
  complaints: string[];
  /** Opens another address of the console, as a link in a mail would. */
  open: (address: string) => Promise<void>;
}

/** The console at an address below it, not signed in. */
export async function openConsole(
  context: BrowserContext,
  url: string,
  address = '',
): Promise<Console> {
  const complaints: string[] = [];
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Requests that fail are part of several tests.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  const open = async (next: string) => {
    await page.goto(`${url}/console/${next}`);
  };
  await open(address);
  return { page, complaints, open };
}

/** Signed in, at an address below the console. The key is kept, so that other addresses can be opened. */
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

/** Says it to the agent of the chat. */
export async function say(page: Page, message: string): Promise<void> {
  await page.getByLabel(/^Message to/).fill(message);
  await page.keyboard.press('Enter');
}

/** How many pixels of a chart are of the colour of its series, and not of its axes. */
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

/**
 * Nothing is wider than the screen, so that nobody has to scroll sideways. Charts follow a change
 * of the width in the frames after it, so the page is given time to settle.
 */
export async function expectToFit(page: Page): Promise<void> {
  await eventually(async () => {
    const [content, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, innerWidth]',
    );
    expect(content).toBeLessThanOrEqual(screen);
  });
}

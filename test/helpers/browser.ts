/** Tests in a real browser, where there is one; the build server must have one. */

import { existsSync } from 'node:fs';
import { test } from '@jest/globals';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const candidates = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = candidates.find((file) => existsSync(file));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** A test that gets a fresh browser context. Without a browser it is skipped and says so, except under CI, where it fails. */
export function browserTest(name: string, body: (context: BrowserContext) => Promise<void>): void {
  if (executablePath === undefined && !process.env['CI']) {
    process.stdout.write(`Skipped, for there is no Chromium (set CHROMIUM_PATH): ${name}\n`);
    test.skip(name, () => undefined);
    return;
  }
  test(name, async () => {
    if (executablePath === undefined) {
      throw new Error('There is no Chromium; install one or set CHROMIUM_PATH.');
    }
    let browser: Browser | undefined;
    try {
      browser = await chromium.launch({ executablePath, args: flags });
      const viewport = { width: 1440, height: 1000 };
      await body(await browser.newContext({ viewport, reducedMotion: 'reduce' }));
    } finally {
      await browser?.close();
    }
  });
}

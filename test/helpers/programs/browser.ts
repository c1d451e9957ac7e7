/** Tests in a real browser, if one is installed; CI requires one. */

import { test } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { chromiumPath, startChromium } from '../../../scripts/lib/chromium.js';

/** A test with a fresh browser context. Without a browser it is skipped with a note, except under CI, where it fails. */
export function browserTest(name: string, body: (context: BrowserContext) => Promise<void>): void {
  if (chromiumPath === undefined && !process.env['CI']) {
    process.stdout.write(`Skipped, for there is no Chromium (set CHROMIUM_PATH): ${name}\n`);
    test.skip(name, () => undefined);
    return;
  }
  test(name, async () => {
    let browser: Browser | undefined;
    try {
      browser = await startChromium();
      const viewport = { width: 1440, height: 1000 };
      await body(await browser.newContext({ viewport, reducedMotion: 'reduce' }));
    } finally {
      await browser?.close();
    }
  });
}

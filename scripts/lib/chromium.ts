/** Starts the Chromium that is installed on this machine; never downloads one. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { Failure } from './failure.js';

const candidates = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Undefined if there is none. */
export const chromiumPath = candidates.find((file) => existsSync(file));

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function startChromium(): Promise<Browser> {
  if (chromiumPath === undefined) {
    throw new Failure('Chromium was not found; install it or set CHROMIUM_PATH.');
  }
  return chromium.launch({ executablePath: chromiumPath, args: flags });
}

/** Says that the service is ready: a person in words, and a log collector in lines of the log. */
import path from 'node:path';
import type { Logger } from 'pino';
import { createDirectory } from '../config/data-directory.js';
import { messageOf } from '../lib/errors/error-code.js';
import { replacePrivateFile } from '../lib/system/private-file.js';
import { serviceVersion } from '../contract/project-files.js';
import { isOnTerminal, terminal } from '../lib/system/terminal.js';
import type { FirstKey } from './first-start.js';
import { lostKey, pagesAt, readyAt, welcome } from './welcome.js';

export interface Started {
  url: string;
  metricsUrl: string | undefined;
  firstKey: FirstKey | undefined;
}

export async function announce(
  { url, metricsUrl, firstKey }: Started,
  { dataDir, hasConsole }: { dataDir: string; hasConsole: boolean },
  log: Logger,
): Promise<void> {
  if (isOnTerminal()) {
    terminal.print(...welcome({ url, firstKey, hasConsole }));
    await firstKey?.confirmShown();
  } else {
    announceLine(log, readyAt(url), {
      version: serviceVersion,
      url,
      ...pagesAt(url, hasConsole),
    });
  }
  if (metricsUrl !== undefined) announceLine(log, metricsAt(metricsUrl));
  if (isOnTerminal()) return;
  if (firstKey) await leaveInFile(firstKey, path.join(dataDir, 'first.key'), log);
  else announceLine(log, lostKey);
}

export function metricsAt(url: string): string {
  return `Metrics are at ${url}`;
}

/** Whatever the log's level: who started the process waits for it. */
export function announceLine(log: Logger, message: string, fields: object = {}): void {
  if (isOnTerminal()) terminal.print(message);
  else log.child({}, { level: 'info' }).info(fields, message);
}

/** Logs are collected, kept and read by many, so the key itself does not belong there. */
async function leaveInFile(firstKey: FirstKey, file: string, log: Logger): Promise<void> {
  try {
    await createDirectory(path.dirname(file));
    await replacePrivateFile(file, `${firstKey.key}\n`);
  } catch (error) {
    log.error(
      `The first key could not be written (${messageOf(error)}). Set DATA_DIR to a directory in which the service may write; the next start tries again.`,
    );
    return;
  }
  announceLine(
    log,
    `The first key, which has every permission, is in ${file}. Store it elsewhere, and delete the file.`,
    { first_key_file: file },
  );
  await firstKey.confirmShown();
}

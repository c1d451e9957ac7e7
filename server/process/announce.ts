/** Reports that the service is ready: as a message on a terminal, and otherwise as log lines. */
import path from 'node:path';
import type { Logger } from 'pino';
import { createDirectory } from '../config/data-directory.js';
import { messageOf } from '../lib/errors/error-code.js';
import { replacePrivateFile } from '../lib/system/private-file.js';
import { serviceVersion } from '../contract/project-files.js';
import { isOnTerminal, terminal } from '../lib/system/terminal.js';
import type { FirstKey, Setup } from './first-start.js';
import { lostKeyHint, pagesAt, readyAt, welcome } from './welcome.js';

export interface Started extends Setup {
  url: string;
  metricsUrl: string | undefined;
}

export async function announce(
  { url, metricsUrl, firstKey, accountArguments }: Started,
  { dataDir, hasConsole }: { dataDir: string; hasConsole: boolean },
  log: Logger,
): Promise<void> {
  if (isOnTerminal()) {
    terminal.print(...welcome({ url, firstKey, accountArguments, hasConsole }));
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
  if (firstKey) await writeKeyFile(firstKey, path.join(dataDir, 'first.key'), log);
  else announceLine(log, lostKeyHint(accountArguments));
}

export function metricsAt(url: string): string {
  return `Metrics are at ${url}`;
}

/** Written at every log level, since scripts wait for it. */
export function announceLine(log: Logger, message: string, fields: object = {}): void {
  if (isOnTerminal()) terminal.print(message);
  else log.child({}, { level: 'info' }).info(fields, message);
}

/** The key goes to a file, because logs are collected and widely readable. */
async function writeKeyFile(firstKey: FirstKey, file: string, log: Logger): Promise<void> {
  try {
    await createDirectory(path.dirname(file));
    await replacePrivateFile(file, `${firstKey.key}\n`);
  } catch (error) {
    log.error(
      `The first key could not be written (${messageOf(error)}). Set DATA_DIR to a directory that the service can write to; the next start tries again.`,
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

/** Follows a log by polling it, without losing or repeating an entry. */
import { setTimeout as delay } from 'node:timers/promises';
import { maxPageSizes } from '../src/generated/service.js';
import type { GetLogsQuery, LogEntry, LogLevel } from '../src/index.js';
import type { Context } from './context.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { levelsFrom, listLevels } from './log-levels.js';

/**
 * The entries of an invocation are stored when it ends, with the timestamps of when they happened. New entries are
 * therefore searched among older ones too: as far back as an invocation may be queued and run.
 */
const lookBackMs = 21 * 60_000;

/** A quick scan stops after this many known entries in a row: all older ones are known too, unless stored late. */
const quickScanSize = 100;

const maxPageSize = maxPageSizes.getLogs;

const pollIntervalMs = 2_000;
const fullScanIntervalMs = 15_000;

export interface LogReader {
  /** The latest entries, oldest first. To follow the log afterwards, all others in reach are marked as known. */
  readLatest: (limit: number, willFollow: boolean) => Promise<LogEntry[]>;
  /** The entries that were not known, oldest first. Only a full scan finds those that were stored late. */
  readNew: (scan: 'quick' | 'full', signal: AbortSignal) => Promise<LogEntry[]>;
}

type List = (query: GetLogsQuery, signal?: AbortSignal) => AsyncIterable<LogEntry>;

/** Compares timestamps of entries only with each other: the local clock may differ from that of the service. */
export function createLogReader(list: List, minimumLevel: LogLevel = 'debug'): LogReader {
  const known = new Map<string, number>();
  let newest = -Infinity;
  const wanted = levelsFrom(minimumLevel);
  // One level is filtered by the service. A poll for several reads all entries, to stay one request.
  const pollFilter: GetLogsQuery = wanted.length === 1 ? { level: minimumLevel } : {};

  const markAsKnown = ({ id, timestamp }: LogEntry) => {
    const at = Date.parse(timestamp);
    newest = Math.max(newest, at);
    known.set(id, at);
  };
  const isInReach = ({ timestamp }: LogEntry) => Date.parse(timestamp) >= newest - lookBackMs;

  return {
    readLatest: async (limit, willFollow) => {
      if (willFollow) {
        for await (const entry of list({ ...pollFilter, limit: maxPageSize })) {
          if (!isInReach(entry)) break;
          markAsKnown(entry);
        }
      }
      const entries: LogEntry[] = [];
      for await (const entry of listLevels(list, wanted, Math.min(limit, maxPageSize))) {
        // It may have been stored since the others were marked.
        markAsKnown(entry);
        entries.push(entry);
        if (entries.length === limit) break;
      }
      return entries.reverse();
    },
    readNew: async (scan, signal) => {
      // Entries that are stored between two pages shift others onto the next page, where they appear again.
      const found = new Map<string, LogEntry>();
      let knownInARow = 0;
      const pageSize = scan === 'full' ? maxPageSize : quickScanSize;
      for await (const entry of list({ ...pollFilter, limit: pageSize }, signal)) {
        if (!isInReach(entry)) break;
        const isKnown = known.has(entry.id);
        knownInARow = isKnown ? knownInARow + 1 : 0;
        if (!isKnown) found.set(entry.id, entry);
        if (scan === 'quick' && knownInARow >= quickScanSize) break;
      }
      // Not before the scan is complete: if a page fails, the next scan must find these entries again.
      for (const entry of found.values()) markAsKnown(entry);
      for (const [id, at] of known) if (at < newest - 2 * lookBackMs) known.delete(id);
      return [...found.values()].filter(({ level }) => wanted.includes(level)).reverse();
    },
  };
}

/** Runs until it is interrupted. While the service is unavailable, it keeps trying. */
export async function followLogs(
  { interruptSignal, output }: Pick<Context, 'interruptSignal' | 'output'>,
  reader: LogReader,
  print: (entry: LogEntry) => void,
): Promise<void> {
  const signal = interruptSignal();
  let nextFullScan = Date.now() + fullScanIntervalMs;
  let isUnavailable = false;
  while (!signal.aborted) {
    const start = Date.now();
    const scan = isUnavailable || start >= nextFullScan ? 'full' : 'quick';
    try {
      for (const entry of await reader.readNew(scan, signal)) print(entry);
      if (scan === 'full') {
        const end = Date.now();
        // Slow scans run less often, so that they take at most a twentieth of the time.
        nextFullScan = end + Math.max(fullScanIntervalMs, 20 * (end - start));
      }
      if (isUnavailable) output.note([{ style: 'dim', text: 'The service is available again.' }]);
      isUnavailable = false;
    } catch (error) {
      signal.throwIfAborted();
      if (exitCodeOf(error) !== exitCodes.unavailable) throw error;
      if (!isUnavailable) output.note([{ style: 'yellow', text: 'No response; retrying …' }]);
      isUnavailable = true;
    }
    await delay(pollIntervalMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Follows a log by polling, without losing or repeating entries. */
import { setTimeout as delay } from 'node:timers/promises';
import { maxPageSizes } from '../src/generated/service.js';
import type { GetLogsQuery, LogEntry, LogLevel } from '../src/index.js';
import type { Context } from './context.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { levelsFrom, listLevels } from './log-levels.js';

/**
 * The entries of an invocation are stored when it ends, but carry the time at which they happened. New entries may
 * therefore be older than known ones: by the longest time that an invocation may be queued and run.
 */
const lookBackMs = 21 * 60_000;

/** A quick scan stops after this many known entries in a row: all older ones are known too, unless they were stored late. */
const quickScanSize = 100;

const maxPageSize = maxPageSizes.getLogs;

const pollIntervalMs = 2_000;
const fullScanIntervalMs = 15_000;

export interface LogReader {
  /** The latest entries, oldest first. If the log will be followed, all other recent entries are marked as known. */
  readLatest: (limit: number, willFollow: boolean) => Promise<LogEntry[]>;
  /** Entries that are not known yet, oldest first. Only a full scan finds those that were stored late. */
  readNew: (scan: 'quick' | 'full', signal: AbortSignal) => Promise<LogEntry[]>;
}

type List = (query: GetLogsQuery, signal?: AbortSignal) => AsyncIterable<LogEntry>;

/** Compares timestamps only with each other, since the local clock may differ from that of the service. */
export function createLogReader(list: List, minimumLevel: LogLevel = 'debug'): LogReader {
  const known = new Map<string, number>();
  let newest = -Infinity;
  const wanted = levelsFrom(minimumLevel);
  // The API filters by one level. For several levels a poll reads all entries, which is still one request.
  const pollFilter: GetLogsQuery = wanted.length === 1 ? { level: minimumLevel } : {};

  const markAsKnown = ({ id, timestamp }: LogEntry) => {
    const at = Date.parse(timestamp);
    newest = Math.max(newest, at);
    known.set(id, at);
  };
  const isRecent = ({ timestamp }: LogEntry) => Date.parse(timestamp) >= newest - lookBackMs;

  return {
    readLatest: async (limit, willFollow) => {
      if (willFollow) {
        for await (const entry of list({ ...pollFilter, limit: maxPageSize })) {
          if (!isRecent(entry)) break;
          markAsKnown(entry);
        }
      }
      const entries: LogEntry[] = [];
      for await (const entry of listLevels(list, wanted, Math.min(limit, maxPageSize))) {
        // The entry may have been stored after the others were marked.
        markAsKnown(entry);
        entries.push(entry);
        if (entries.length === limit) break;
      }
      return entries.reverse();
    },
    readNew: async (scan, signal) => {
      // A map, since entries stored between two pages move others onto the next page, where they appear again.
      const found = new Map<string, LogEntry>();
      let knownInARow = 0;
      const pageSize = scan === 'full' ? maxPageSize : quickScanSize;
      for await (const entry of list({ ...pollFilter, limit: pageSize }, signal)) {
        if (!isRecent(entry)) break;
        const isKnown = known.has(entry.id);
        knownInARow = isKnown ? knownInARow + 1 : 0;
        if (!isKnown) found.set(entry.id, entry);
        if (scan === 'quick' && knownInARow >= quickScanSize) break;
      }
      // Marked only after a complete scan: if a page fails, the next scan must find these entries again.
      for (const entry of found.values()) markAsKnown(entry);
      for (const [id, at] of known) if (at < newest - 2 * lookBackMs) known.delete(id);
      return [...found.values()].filter(({ level }) => wanted.includes(level)).reverse();
    },
  };
}

/** Runs until it is interrupted, and keeps trying while the service is unavailable. */
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
        // Full scans take at most 5 % of the time.
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

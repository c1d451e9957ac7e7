/** Follows a log that can only be asked for, without losing or repeating an entry. */
import { setTimeout as delay } from 'node:timers/promises';
import type { GetLogsQuery, LogEntry, Pages } from '../src/index.js';
import type { Context } from './context.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';

/**
 * The entries of an invocation are stored when it ends, under the times when they happened. So new ones are looked for
 * among the old ones as well: as far back as an invocation may wait and run.
 */
const lookBackMs = 21 * 60_000;

/** As many known entries in a row mean that the rest is known too, but for what is stored late. */
const knownInARow = 100;

/** What the service gives at most in one page of a log. */
const largestPage = 1000;

const pollEveryMs = 2_000;
const deepReadEveryMs = 15_000;

export interface LogReader {
  /** The latest entries, oldest first; with `all`, what else could be taken for new later is noted as known. */
  latest: (limit: number, all: boolean) => Promise<LogEntry[]>;
  /** The entries that were not known, oldest first. A deep look finds those that were stored late. */
  fresh: (isDeep: boolean, signal: AbortSignal) => Promise<LogEntry[]>;
}

type List = (query: GetLogsQuery, signal?: AbortSignal) => Pages<LogEntry>;

/** Goes by the times of the entries alone: the clock of this machine may differ from that of the service. */
export function createLogReader(list: List): LogReader {
  const known = new Map<string, number>();
  let newest = -Infinity;

  const note = ({ id, timestamp }: LogEntry) => {
    const at = Date.parse(timestamp);
    newest = Math.max(newest, at);
    known.set(id, at);
  };
  const isInReach = ({ timestamp }: LogEntry) => Date.parse(timestamp) >= newest - lookBackMs;

  return {
    latest: async (limit, all) => {
      const entries: LogEntry[] = [];
      for await (const entry of list({ limit: all ? largestPage : Math.min(limit, largestPage) })) {
        const isWanted = entries.length < limit;
        if (!isWanted && !(all && isInReach(entry))) break;
        note(entry);
        if (isWanted) entries.push(entry);
        if (!all && entries.length === limit) break;
      }
      return entries.reverse();
    },
    fresh: async (isDeep, signal) => {
      // What comes in between two pages moves entries from the one to the other, which then has them again.
      const found = new Map<string, LogEntry>();
      let row = 0;
      for await (const entry of list({ limit: isDeep ? largestPage : knownInARow }, signal)) {
        if (!isInReach(entry)) break;
        const isKnown = known.has(entry.id);
        row = isKnown ? row + 1 : 0;
        if (!isKnown) found.set(entry.id, entry);
        if (!isDeep && row >= knownInARow) break;
      }
      // Only now: had a page failed, the next look would have to find them again.
      for (const entry of found.values()) note(entry);
      for (const [id, at] of known) if (at < newest - 2 * lookBackMs) known.delete(id);
      return [...found.values()].reverse();
    },
  };
}

/** Until it is interrupted. A service that is away for a while is waited for. */
export async function followLogs(
  { interruptible, output, terminal }: Pick<Context, 'interruptible' | 'output' | 'terminal'>,
  reader: LogReader,
  show: (entry: LogEntry) => void,
): Promise<void> {
  const signal = interruptible();
  let nextDeepRead = Date.now() + deepReadEveryMs;
  let isAway = false;
  while (!signal.aborted) {
    const begin = Date.now();
    const isDeep = isAway || begin >= nextDeepRead;
    try {
      for (const entry of await reader.fresh(isDeep, signal)) show(entry);
      // Where a deep look takes long, it is taken less often.
      if (isDeep) nextDeepRead = Date.now() + Math.max(deepReadEveryMs, 20 * (Date.now() - begin));
      if (isAway) output.note(terminal.paintNote('dim', 'The service is back.'));
      isAway = false;
    } catch (error) {
      signal.throwIfAborted();
      if (exitCodeOf(error) !== exitCodes.tryLater) throw error;
      if (!isAway) output.note(terminal.paintNote('yellow', 'No answer; trying again …'));
      isAway = true;
    }
    await delay(pollEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

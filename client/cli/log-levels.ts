/** The levels of a log, of which a minimum is asked for; the API filters by exactly one. */
import type { GetLogsQuery, LogEntry, LogLevel } from '../src/index.js';

/** From the least important on. */
export const logLevels: LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function levelsFrom(minimum: LogLevel): LogLevel[] {
  return logLevels.slice(logLevels.indexOf(minimum));
}

/** The entries of these levels, newest first; without a filter if these are all. */
export function listLevels(
  list: (query: GetLogsQuery) => AsyncIterable<LogEntry>,
  levels: LogLevel[],
  limit: number,
): AsyncIterable<LogEntry> {
  if (levels.length === logLevels.length) return list({ limit });
  return mergeNewestFirst(levels.map((level) => list({ level, limit })));
}

/** Merges lists that are sorted already, and reads no more of each than is needed. */
async function* mergeNewestFirst(lists: AsyncIterable<LogEntry>[]): AsyncGenerator<LogEntry, void> {
  const sources = await Promise.all(
    lists.map(async (list) => {
      const iterator = list[Symbol.asyncIterator]();
      return { iterator, head: await iterator.next() };
    }),
  );
  for (;;) {
    const [newest] = sources
      .flatMap((source) => (source.head.done ? [] : [{ source, entry: source.head.value }]))
      .sort((one, other) => compareByTime(other.entry, one.entry));
    if (!newest) return;
    yield newest.entry;
    newest.source.head = await newest.source.iterator.next();
  }
}

/** Ids of one moment are in order too. */
function compareByTime(one: LogEntry, other: LogEntry): number {
  const difference = Date.parse(one.timestamp) - Date.parse(other.timestamp);
  return difference || (one.id < other.id ? -1 : 1);
}

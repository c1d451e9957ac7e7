/** Filters a log by minimum level; the API itself filters by exactly one level. */
import type { GetLogsQuery, LogEntry, LogLevel } from '../src/index.js';

/** The least important first. */
export const logLevels: LogLevel[] = ['debug', 'info', 'warn', 'error'];

export function levelsFrom(minimum: LogLevel): LogLevel[] {
  return logLevels.slice(logLevels.indexOf(minimum));
}

/** The entries of these levels, newest first. */
export function listLevels(
  list: (query: GetLogsQuery) => AsyncIterable<LogEntry>,
  levels: LogLevel[],
  limit: number,
): AsyncIterable<LogEntry> {
  if (levels.length === logLevels.length) return list({ limit });
  return mergeNewestFirst(levels.map((level) => list({ level, limit })));
}

/** Merges sorted lists, and reads from each only as much as needed. */
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

/** Entries with the same timestamp are ordered by id. */
function compareByTime(one: LogEntry, other: LogEntry): number {
  const difference = Date.parse(one.timestamp) - Date.parse(other.timestamp);
  return difference || (one.id < other.id ? -1 : 1);
}

/** The log entries read so far, newest first: older ones page by page, new ones as they are written. */
import { signal, type Signal } from '@preact/signals';
import type { AgentHosting, GetLogsQuery, LogEntry } from '../../../src/index.js';
import { maxPageSizes } from '../../../src/generated/service.js';

export interface LogEntries {
  entries: Signal<LogEntry[]>;
  /** How many the service has; undefined before the first page. */
  total: Signal<number | undefined>;
  hasMore: () => boolean;
  readMore: (client: AgentHosting, signal: AbortSignal) => Promise<void>;
  /** Reads the latest pages again, since the entries of an invocation are stored late, when it ends. */
  readNew: (client: AgentHosting, signal: AbortSignal) => Promise<void>;
}

const firstPage = 200;
const newPage = 200;
/** Older entries are found by scrolling. */
const maxNewPages = 5;

export function createLogEntries(agent: string, filter: GetLogsQuery): LogEntries {
  const entries = signal<LogEntry[]>([]);
  const total = signal<number | undefined>(undefined);
  const known = new Set<string>();
  let isComplete = false;

  const readPage = async (
    client: AgentHosting,
    limit: number,
    offset: number,
    abort: AbortSignal,
  ) => {
    const { data, pagination } = await client.logs.list(
      agent,
      { ...filter, limit, offset },
      { signal: abort },
    );
    total.value = pagination.total;
    return { fresh: data.filter(({ id }) => !known.has(id)), pagination };
  };
  const add = (fresh: LogEntry[]) => {
    if (fresh.length === 0) return;
    for (const { id } of fresh) known.add(id);
    const last = entries.peek().at(-1);
    const isOlder = last === undefined || fresh.every((entry) => compare(last, entry) <= 0);
    const all = [...entries.peek(), ...fresh];
    entries.value = isOlder ? all : all.sort(compare);
  };
  return {
    entries,
    total,
    hasMore: () => !isComplete,
    readMore: async (client, abort) => {
      const offset = entries.peek().length;
      const limit = offset === 0 ? firstPage : maxPageSizes.getLogs;
      const { fresh, pagination } = await readPage(client, limit, offset, abort);
      add(fresh);
      isComplete = !pagination.has_more;
    },
    readNew: async (client, abort) => {
      const found: LogEntry[] = [];
      for (let page = 0; page < maxNewPages; page += 1) {
        const { fresh, pagination } = await readPage(client, newPage, page * newPage, abort);
        found.push(...fresh);
        if (fresh.length < newPage || !pagination.has_more) break;
      }
      add(found);
    },
  };
}

/** Newest first; entries with the same timestamp are ordered by id. */
function compare(one: LogEntry, other: LogEntry): number {
  return compareText(other.timestamp, one.timestamp) || compareText(other.id, one.id);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

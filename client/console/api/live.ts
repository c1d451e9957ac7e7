/** Data that stays current: refreshed periodically, not while the tab is hidden, and less often after errors. */
import { signal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AgentHosting } from '../../src/index.js';
import { refreshIntervalMs, canSendInBackground } from './connection.js';
import { describeProblem, isAbort, type Problem } from './problem.js';
import { session, onSessionEnd } from './session.js';

interface Entry<Data> {
  data: Data | undefined;
  problem: Problem | undefined;
}

export interface Live<Data> extends Entry<Data> {
  refresh: () => void;
  /** Changes the data locally, before or after the service has confirmed it. */
  change: (change: (data: Data) => Data) => void;
}

type Load<Data> = (client: AgentHosting, signal: AbortSignal) => Promise<Data>;

interface LiveOptions<Data> {
  /** Milliseconds between two refreshes, optionally depending on the data. Without it, the data is read once. */
  everyMs?: number | ((data: Data | undefined) => number) | undefined;
  /** How many requests a refresh takes; the pause is longer if the rate limit is low. */
  cost?: number;
}

/** Kept by key, so that a page that is opened again shows its previous data at once. */
const entries = new Map<string, Signal<Entry<unknown>>>();

onSessionEnd(() => {
  entries.clear();
});

const maxErrorDelayMs = 15_000;

/** The key identifies the data. If it is undefined, nothing is read. */
export function useLive<Data>(
  key: string | undefined,
  load: Load<Data>,
  { everyMs, cost = 1 }: LiveOptions<Data> = {},
): Live<Data> {
  const entry = entryOf<Data>(key);
  const refresh = useRef<() => void>(() => undefined);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  useEffect(() => {
    if (key === undefined) return undefined;
    const pauseMs = () => {
      const minMs = typeof everyMs === 'function' ? everyMs(entry.peek().data) : everyMs;
      return minMs === undefined ? undefined : refreshIntervalMs(cost, minMs);
    };
    const loop = startLoop((client, abort) => latestLoad.current(client, abort), entry, pauseMs);
    refresh.current = loop.refresh;
    return loop.stop;
  }, [key, everyMs, cost]);
  return {
    ...entry.value,
    refresh: () => {
      refresh.current();
    },
    change: (change) => {
      const { data } = entry.peek();
      if (data !== undefined) entry.value = { ...entry.peek(), data: change(data) };
    },
  };
}

function entryOf<Data>(key: string | undefined): Signal<Entry<Data>> {
  const name = key ?? '';
  const known = entries.get(name) ?? signal({ data: undefined, problem: undefined });
  entries.set(name, known);
  // All uses of a key read the same type of data.
  return known as Signal<Entry<Data>>;
}

function startLoop<Data>(
  load: Load<Data>,
  entry: Signal<Entry<Data>>,
  pauseMs: () => number | undefined,
) {
  const aborter = new AbortController();
  const isStopped = () => aborter.signal.aborted;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isLoading = false;

  const read = async (isForced: boolean) => {
    clearTimeout(timer);
    const client = session.peek()?.background;
    if (!client || isLoading || isStopped()) return;
    if (!isForced && (document.hidden || !canSendInBackground())) {
      schedule(pauseMs());
      return;
    }
    isLoading = true;
    try {
      const data = await load(client, aborter.signal);
      failures = 0;
      if (!isStopped()) entry.value = { data, problem: undefined };
      schedule(pauseMs());
    } catch (error) {
      if (isStopped() || isAbort(error)) return;
      failures += 1;
      const problem = describeProblem(error);
      entry.value = { ...entry.peek(), problem };
      schedule(problem.retryAfterMs ?? Math.min(maxErrorDelayMs, 1_000 * 2 ** (failures - 1)));
    } finally {
      isLoading = false;
    }
  };
  const schedule = (delayMs: number | undefined) => {
    if (delayMs === undefined || isStopped()) return;
    timer = setTimeout(() => void read(false), delayMs);
  };
  const onVisible = () => {
    if (!document.hidden && pauseMs() !== undefined) void read(false);
  };
  document.addEventListener('visibilitychange', onVisible);
  void read(true);
  return {
    refresh: () => void read(true),
    stop: () => {
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
      aborter.abort();
    },
  };
}

/** Reads a log for a page: the first entries, more on demand, and new ones while it is followed. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { GetLogsQuery } from '../../../src/index.js';
import { refreshIntervalMs, canSendInBackground } from '../../api/connection.js';
import { describeProblem, isAbort, type Problem } from '../../api/problem.js';
import { session } from '../../api/session.js';
import { createLogEntries } from './log-entries.js';

const followMs = 2_000;
const maxErrorDelayMs = 15_000;

export function useLogEntries(agent: string, filter: GetLogsQuery, isFollowed: boolean) {
  const key = JSON.stringify([agent, filter]);
  const log = useMemo(() => createLogEntries(agent, filter), [key]);
  const aborter = useRef(new AbortController());
  const isReading = useRef(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);

  /** Resolves to whether it succeeded. Runs one read at a time, so that no page is read twice. */
  const read = async (method: 'readMore' | 'readNew'): Promise<boolean> => {
    const client = session.peek()?.background;
    const { signal } = aborter.current;
    if (!client || isReading.current) return true;
    isReading.current = true;
    try {
      await log[method](client, signal);
      setProblem(undefined);
      return true;
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) setProblem(describeProblem(error));
      return false;
    } finally {
      isReading.current = false;
    }
  };

  useEffect(() => {
    aborter.current = new AbortController();
    isReading.current = false;
    void read('readMore');
    return () => {
      aborter.current.abort();
    };
  }, [log]);

  useEffect(() => {
    if (!isFollowed) return undefined;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async () => {
      if (!document.hidden && canSendInBackground()) {
        failures = (await read('readNew')) ? 0 : failures + 1;
      }
      timer = setTimeout(
        () => void poll(),
        Math.min(maxErrorDelayMs, refreshIntervalMs(1, followMs) * 2 ** failures),
      );
    };
    timer = setTimeout(() => void poll(), followMs);
    return () => {
      clearTimeout(timer);
    };
  }, [log, isFollowed]);

  return {
    entries: log.entries.value,
    total: log.total.value,
    problem,
    readMore: () => {
      if (log.hasMore() && log.total.peek() !== undefined) void read('readMore');
    },
    retry: () => void read(log.total.peek() === undefined ? 'readMore' : 'readNew'),
  };
}

/** Measures several servers, or several requests to them, in turn, so that other work on the machine affects all of them equally. */
import type { BenchEnvironment, ProcessorTimes } from './environment.js';
import type { Load, LoadResult } from './load.js';
import { runLoad } from './loader.js';
import { median } from './statistics.js';

export interface Contender {
  title: string;
  /** The server that is under load. */
  url: string;
  /** What to send in a round. What it has to prepare for that is not measured. */
  load: () => Promise<Load> | Load;
  /** Done after each of its rounds, and measured. */
  afterRound?: () => Promise<unknown>;
}

export interface Measured extends LoadResult {
  /** Processor time for each request, in microseconds: of the server's processes, and of its PostgreSQL. */
  nodeCpu: number;
  databaseCpu: number;
}

/** By requests, since what a machine does with little time to spare is not compiled yet after seconds. */
const warmUp = { milliseconds: 15_000, maxRequests: 6_000 };

/** The results of each round, in the order of the contenders. Those that are `cold` are warmed up first. */
export async function measureInTurn(
  environment: BenchEnvironment,
  contenders: readonly Contender[],
  rounds: number,
  cold: readonly Contender[] = contenders,
): Promise<Measured[][]> {
  for (const { load } of cold) {
    const full = await load();
    const maxRequests = Math.min(warmUp.maxRequests, full.maxRequests);
    await runLoad({ ...full, ...warmUp, maxRequests });
  }
  const windows = createWindows(environment);
  const results: Measured[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const row: Measured[] = [];
    for (const { url, load, afterRound } of contenders) {
      await windows.close(url);
      const prepared = await load();
      const window = await windows.open(url);
      const result = await runLoad(prepared);
      await afterRound?.();
      window.measured = { ...result, nodeCpu: NaN, databaseCpu: NaN };
      row.push(window.measured);
    }
    results.push(row);
  }
  for (const { url } of contenders) await windows.close(url);
  return results;
}

interface Window {
  url: string;
  before: ProcessorTimes;
  /** Receives the processor times when the window closes. */
  measured?: Measured;
}

/**
 * The processor time of a round goes on until the next one of the same server or cluster begins: what a server leaves to do
 * after its responses counts too.
 */
function createWindows({ processorTimes, clusterOf }: BenchEnvironment) {
  const windows = new Map<unknown, Window>();
  const keyOf = (url: string) => clusterOf(url) ?? url;
  return {
    open: async (url: string): Promise<Window> => {
      const window = { url, before: await processorTimes(url) };
      windows.set(keyOf(url), window);
      return window;
    },
    close: async (url: string): Promise<void> => {
      const window = windows.get(keyOf(url));
      windows.delete(keyOf(url));
      if (!window?.measured) return;
      const { before, measured } = window;
      const after = await processorTimes(window.url);
      const perRequest = (seconds: number) => (seconds / measured.requests) * 1e6;
      measured.nodeCpu = perRequest(after.node - before.node);
      measured.databaseCpu = perRequest(after.database - before.database);
    },
  };
}

export type Metric = keyof Measured;

/** Of one contender. */
export function medianOf(rounds: readonly Measured[][], contender: number, metric: Metric): number {
  return median(rounds.map((row) => row[contender]?.[metric] ?? NaN));
}

/** Of two contenders: the median of the ratios within each round. */
export function medianRatio(
  rounds: readonly Measured[][],
  contender: number,
  base: number,
  metric: Metric,
): number {
  return median(
    rounds.map((row) => (row[contender]?.[metric] ?? NaN) / (row[base]?.[metric] ?? NaN)),
  );
}

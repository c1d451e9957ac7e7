/** What a benchmark is told, and what comes of it. */
import type { Table } from './table.js';

export interface Benchmark {
  name: string;
  run: (context: BenchContext) => Promise<void>;
}

export interface BenchContext {
  /** How often each contender is measured; the benchmark decides if it is undefined. */
  rounds: number | undefined;
  /** Whether to measure with every core to spare, with none, or both. */
  machines: readonly Machine[];
  report: (table: Table) => void;
}

/** Busy: something else spins on every core. */
export type Machine = 'free' | 'busy';

export interface BenchResult {
  benchmark: string;
  tables: Table[];
  /** Cores, memory and versions. */
  machine: string;
  /** The share of the machine that other programs used meanwhile. */
  others: number;
  /** Such as 2026-01-31. */
  date: string;
}

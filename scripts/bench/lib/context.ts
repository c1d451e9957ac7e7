/** What a benchmark is told, and where its figures go. */
import type { Table } from './table.js';

export interface BenchContext {
  /** How often each contender is measured; the benchmark decides if it is undefined. */
  rounds: number | undefined;
  /** Whether to measure with every core to spare, with none, or both. */
  machines: readonly Machine[];
  report: (table: Table) => void;
}

/** Busy: something else spins on every core. */
export type Machine = 'free' | 'busy';

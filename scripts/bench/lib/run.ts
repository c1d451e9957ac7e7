/** Runs benchmarks one after another, and puts their tables where they are wanted. */
import { paint } from '../../lib/terminal.js';
import type { Benchmark, BenchResult, Machine } from './context.js';
import { writeResult } from './document.js';
import { describeMachine, watchOthers } from './machine.js';
import { type Table, terminalTable } from './table.js';

export interface RunOptions {
  rounds?: number;
  /** Both if it is undefined. */
  machine?: Machine;
  /** Prints JSON and nothing else. */
  json?: true;
  /** Writes the tables into the documentation. */
  write?: true;
}

export async function runBenchmarks(
  benchmarks: readonly Benchmark[],
  { rounds, machine, json, write }: RunOptions,
): Promise<void> {
  const print = (text: string) => {
    if (!json) console.log(text);
  };
  const description = await describeMachine();
  print(description);
  const results: BenchResult[] = [];
  for (const { name, run } of benchmarks) {
    print(paint('bold', `\n${name}`));
    const tables: Table[] = [];
    const othersSince = await watchOthers();
    const report = (table: Table) => {
      tables.push(table);
      print(`${terminalTable(table)}\n`);
    };
    await run({ rounds, machines: machine ? [machine] : ['free', 'busy'], report });
    const others = await othersSince();
    print(`Other programs used ${(others * 100).toFixed(0)} % of the machine meanwhile.`);
    const date = new Date().toISOString().slice(0, 10);
    const result = { benchmark: name, tables, machine: description, others, date };
    results.push(result);
    if (write) await writeResult(result);
  }
  if (json) console.log(JSON.stringify(results, undefined, 2));
}

/** Writes the tables of a benchmark into docs/performance.md, between the comments that name it. */
import { readFile, writeFile } from 'node:fs/promises';
import { inProject } from '../../lib/project.js';
import type { BenchResult } from './context.js';
import { markdownTable } from './table.js';

const file = 'docs/performance.md';

/** A benchmark that the file has no place for is left out. */
export async function writeResult(result: BenchResult): Promise<void> {
  const text = await readFile(inProject(file), 'utf8');
  await writeFile(inProject(file), withSection(text, result.benchmark, sectionOf(result)));
}

/** Replaces what is between `<!-- bench NAME -->` and `<!-- end -->`. */
export function withSection(text: string, name: string, section: string): string {
  const begin = `<!-- bench ${name} -->`;
  const [before = '', rest] = text.split(begin);
  if (rest === undefined) return text;
  return `${before}${begin}\n\n${section}\n\n${rest.slice(rest.indexOf('<!-- end -->'))}`;
}

function sectionOf({ tables, machine, others, date }: BenchResult): string {
  const share = (others * 100).toFixed(0);
  return [
    ...tables.flatMap((table) => [`**${table.title}** (${table.note})`, markdownTable(table)]),
    `_${date}, ${machine}; other programs used ${share} % of the machine meanwhile._`,
  ].join('\n\n');
}

/** The figures of benchmarks with their targets, as a Markdown table for the documentation. */
import { paint } from '../../lib/terminal.js';

export interface BenchContext {
  rounds: number;
  /** Prints the current step on standard error. */
  progress: (step: string) => void;
}

export type Target = { atLeast: number } | { atMost: number };

export interface Figure {
  title: string;
  /** NaN if it cannot be measured on this machine. */
  value: number;
  unit: Unit;
  target?: Target;
}

export type Unit = 'ratio' | 'ms' | 'µs' | 'a second' | 'MB';

const digits: Record<Unit, number> = { ratio: 2, ms: 2, µs: 0, 'a second': 0, MB: 0 };

export function figure(title: string, value: number, unit: Unit, target?: Target): Figure {
  return { title, value, unit, ...(target && { target }) };
}

/** A ratio; its title names the base. */
export const share = (title: string, value: number, target?: Target): Figure =>
  figure(title, value, 'ratio', target);

function isMet(value: number, target: Target): boolean {
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}

export function tableOf(figures: readonly Figure[]): string {
  const cells = [['Figure', 'Measured', 'Target', 'Met'], ...figures.map(cellsOf)];
  const widths = cells.reduce(
    (widest, row) => widest.map((width, column) => Math.max(width, row[column]?.length ?? 0)),
    [3, 3, 3, 3],
  );
  const [head = '', ...rows] = cells.map((row) => {
    const padded = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return `| ${padded.join(' | ')} |`;
  });
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const coloured = rows.map((row) => {
    if (/\| no +\|$/.test(row)) return paint('red', row);
    return /\| yes +\|$/.test(row) ? paint('green', row) : row;
  });
  return [head, rule, ...coloured].join('\n');
}

function cellsOf({ title, value, unit, target }: Figure): string[] {
  const number = (shown: number, decimals: number) =>
    shown.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: 2 });
  const text = (shown: number, decimals: number) =>
    unit === 'ratio' ? number(shown, decimals) : `${number(shown, decimals)} ${unit}`;
  const measured = Number.isNaN(value)
    ? 'needs Linux'
    : text(Number(value.toFixed(digits[unit])), digits[unit]);
  if (!target) return [title, measured, '', ''];
  const wanted =
    'atLeast' in target ? `≥ ${text(target.atLeast, 0)}` : `≤ ${text(target.atMost, 0)}`;
  return [title, measured, wanted, Number.isNaN(value) ? '' : isMet(value, target) ? 'yes' : 'no'];
}

/** Formats the output of the scripts: aligned lines with a duration, in colour on a terminal. */

import { styleText } from 'node:util';

export type Style = 'bold' | 'green' | 'red' | 'yellow';

const coloured = process.stdout.isTTY && !process.env['NO_COLOR'];

export function paint(style: Style, text: string): string {
  return coloured ? styleText(style, text) : text;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Prints one line for a finished task: its name, its result and its duration. */
export function printResult(
  name: string,
  summary: string,
  milliseconds: number,
  style?: Style,
): void {
  const padded = summary.padEnd(36);
  const middle = style === undefined ? padded : paint(style, padded);
  console.log(`${name.padEnd(27)} ${middle} ${seconds(milliseconds).padStart(6)}`);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export type Timed<T> = { milliseconds: number } & ({ value: T } | { error: unknown });

/** Measures the duration of the work, whether it succeeds or fails. */
export async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  try {
    const value = await work();
    return { value, milliseconds: performance.now() - start };
  } catch (error) {
    return { error, milliseconds: performance.now() - start };
  }
}

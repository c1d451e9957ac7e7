/** What the commands print: aligned lines with a time, coloured only where a person is watching. */

import { styleText } from 'node:util';

export type Style = 'bold' | 'green' | 'red' | 'yellow';

const coloured = process.stdout.isTTY && !process.env['NO_COLOR'];

export function paint(style: Style, text: string): string {
  return coloured ? styleText(style, text) : text;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** One line per finished piece of work: what, what came of it, how long it took. */
export function printLine(
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

/** Runs the work and says how long it took, whether it succeeded or not. */
export async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  try {
    const value = await work();
    return { value, milliseconds: performance.now() - start };
  } catch (error) {
    return { error, milliseconds: performance.now() - start };
  }
}

/**
 * The standard streams. Nothing else writes to them but the log: names of tenants and texts of other servers may be in any
 * line, so every line is escaped here, and none of them can move the cursor, pass for another line or hide.
 */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { escapeUnprintable } from '../text/printable.js';

/** What the program itself drew with escape sequences. It is written as it is, so no text from elsewhere belongs in it. */
export interface Drawing {
  drawing: string;
}

export type Line = string | Drawing;

export interface Terminal {
  /** Writes lines to standard output. */
  print: (...lines: Line[]) => void;
  /** Writes lines to standard error. */
  printError: (...lines: Line[]) => void;
}

type Write = (text: string) => void;

export function createTerminal(writeOut: Write, writeError: Write): Terminal {
  const printTo =
    (write: Write) =>
    (...lines: Line[]) => {
      write(lines.map((line) => `${printable(line)}\n`).join(''));
    };
  return { print: printTo(writeOut), printError: printTo(writeError) };
}

export const terminal = createTerminal(
  (text) => process.stdout.write(text),
  (text) => process.stderr.write(text),
);

function printable(line: Line): string {
  return typeof line === 'string' ? escapeUnprintable(line) : line.drawing;
}

/** Whether a person reads the output. */
export function isOnTerminal(): boolean {
  return process.stdout.isTTY;
}

/** The width of standard output; undefined if it is not a terminal. */
export function outputColumns(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
}

/** The lines of a text that is laid out in lines. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** For a service, which goes on without its output. A command must fail if its result cannot be written. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Replaces the last line on a terminal; elsewhere it writes nothing. An empty text removes the line. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${escapeUnprintable(text)}`);
}

/** For bytes instead of lines; undefined if a person would see them. */
export function standardOutput(): Writable | undefined {
  return process.stdout.isTTY ? undefined : process.stdout;
}

export function standardInput(): Readable {
  return process.stdin;
}

/** The answer to a question; undefined if there is no terminal to ask on. */
export async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(`${escapeUnprintable(question)} `);
  } finally {
    reader.close();
  }
}

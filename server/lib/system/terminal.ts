/**
 * Writes to the standard streams; only the log bypasses it. Lines may contain untrusted text, so every line is escaped: it cannot
 * move the cursor, imitate another line or hide text.
 */
import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { escapeUnprintable } from '../text/printable.js';

/** Text with escape sequences, which is written unchanged. It must not contain untrusted text. */
interface RawLine {
  raw: string;
}

export type Line = string | RawLine;

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
  return typeof line === 'string' ? escapeUnprintable(line) : line.raw;
}

/** Whether a person reads the output. */
export function isOnTerminal(): boolean {
  return process.stdout.isTTY;
}

/** The width of standard output; undefined if it is not a terminal. */
export function outputColumns(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
}

export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** For a service, which continues without its output. A command must fail if its result cannot be written. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Replaces the last line on a terminal, and writes nothing elsewhere. An empty text removes the line. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${escapeUnprintable(text)}`);
}

/** For binary output; undefined if standard output is a terminal. */
export function redirectedOutput(): Writable | undefined {
  return process.stdout.isTTY ? undefined : process.stdout;
}

export function standardInput(): Readable {
  return process.stdin;
}

/** Returns the answer to a question; undefined if there is no terminal. */
export async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(`${escapeUnprintable(question)} `);
  } finally {
    reader.close();
  }
}

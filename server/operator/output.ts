/** Prints the result of a command: as a table or in sentences, or as JSON with --json. */
import { styleText } from 'node:util';
import { escapeUnprintable } from '../lib/printable.js';
import { isOnTerminal, type Line, linesOf, type Terminal } from '../lib/terminal.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
}

export interface CommandOutput {
  table: <Row>(rows: Row[], columns: Column<Row>[], json: (row: Row) => object) => void;
  /**
   * A single result: a sentence or several lines, and the document for --json. What is said besides goes to standard error, so that
   * standard output holds nothing but the result; the document says it itself.
   */
  done: (text: string | Line[], json: object, besides?: string[]) => void;
}

export function createOutput(asJson: boolean, { print, printError }: Terminal): CommandOutput {
  const printJson = (value: object) => {
    print(...jsonLines(value));
  };
  if (asJson) {
    return {
      table: (rows, _columns, json) => {
        printJson(rows.map(json));
      },
      done: (_text, json) => {
        printJson(json);
      },
    };
  }
  return {
    table: (rows, columns) => {
      print(...(rows.length === 0 ? ['None.'] : formatTable(rows, columns)));
    },
    done: (text, _json, besides = []) => {
      const lines = typeof text === 'string' ? [text] : text;
      if (lines.length > 0) print(...lines);
      if (besides.length > 0) printError(...besides);
    },
  };
}

/** Lines of a comparison, in the colours that people know from others. */
export const removed = (text: string): Line => coloured('red', text);
export const added = (text: string): Line => coloured('green', text);

function coloured(colour: 'red' | 'green', text: string): Line {
  const isColoured = isOnTerminal() && !process.env['NO_COLOR'];
  return isColoured ? { drawing: styleText(colour, escapeUnprintable(text)) } : text;
}

export function jsonLines(value: object): string[] {
  return linesOf(JSON.stringify(value, null, 2));
}

function formatTable<Row>(rows: Row[], columns: Column<Row>[]): string[] {
  const lines = [
    columns.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => columns.map(({ value }) => escapeUnprintable(value(row)))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? '').length)),
  );
  return lines.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

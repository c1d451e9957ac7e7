/** Prints the result of a command: as a table or in sentences, or as JSON with --json. */
import { escapeUnprintable } from '../lib/printable.js';
import { type Line, linesOf, type Terminal } from '../lib/terminal.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
}

export interface CommandOutput {
  table: <Row>(rows: Row[], columns: Column<Row>[], json: (row: Row) => object) => void;
  /** A single result: a sentence or several lines, and the document for --json. */
  done: (text: string | Line[], json: object) => void;
}

export function createOutput(asJson: boolean, { print }: Pick<Terminal, 'print'>): CommandOutput {
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
    done: (text) => {
      print(...(typeof text === 'string' ? [text] : text));
    },
  };
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

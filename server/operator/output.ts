/** Prints the result of a command: as a table or in sentences, or as JSON with --json. */
import { lineFormatter } from '../../client/cli/styled-line.js';
import { type Column, formatTable } from '../../client/cli/table.js';
import { formatRelativeTime, formatTimestamp } from '../../client/cli/time.js';
import {
  isOnTerminal,
  type Line,
  linesOf,
  outputColumns,
  type Terminal,
} from '../lib/system/terminal.js';

export interface CommandOutput {
  table: <Row>(rows: Row[], columns: Column<Row>[], json: (row: Row) => object) => void;
  /**
   * A single result: a sentence or several lines, and the document for --json. Notes go to standard error, so that standard output
   * contains only the result; with --json they are part of the document.
   */
  done: (text: string | Line[], json: object, notes?: string[]) => void;
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
      if (rows.length === 0) printError('No results.');
      else print(...formatTable(rows, columns, outputColumns()).map(styled));
    },
    done: (text, _json, notes = []) => {
      const lines = typeof text === 'string' ? [text] : text;
      if (lines.length > 0) print(...lines);
      if (notes.length > 0) printError(...notes);
    },
  };
}

/** Lines of a diff, in the usual colours. */
export const removed = (text: string): Line => styled([{ style: 'red', text }]);
export const added = (text: string): Line => styled([{ style: 'green', text }]);

/** The formatter escapes the text. */
function styled(line: Parameters<ReturnType<typeof lineFormatter>>[0]): Line {
  return { raw: lineFormatter({ isTTY: isOnTerminal() })(line) };
}

/** A column of timestamps, which a terminal shows relative to now. */
export function dateColumn<Row>(
  title: string,
  date: (row: Row) => Date | null,
  missing = '–',
): Column<Row> {
  const formatted = (format: (timestamp: string) => string) => (row: Row) => {
    const found = date(row);
    return found === null ? missing : format(found.toISOString());
  };
  return { title, value: formatted(formatTimestamp), shortValue: formatted(formatRelativeTime) };
}

export function jsonLines(value: object): string[] {
  return linesOf(JSON.stringify(value, null, 2));
}

/** What commands print: tables and text for people, with `--json` the objects of the API for programs. */
import { type Column, formatTable } from './table.js';
import type { Terminal } from './terminal.js';
import { oneLine, padToWidth, safeJson } from './text.js';

export interface Output {
  isJson: boolean;
  list: <Row>(rows: Row[], columns: Column<Row>[]) => void;
  /** A single resource, field by field. */
  record: (record: object) => void;
  /** What a command did, as text or as the object of the API. */
  result: (text: string, object: object) => void;
  /** An entry of a continuous output; as JSON, one object a line. */
  line: (text: string, object: object) => void;
  /** A remark on standard error, left out with `--json`. */
  note: (text: string) => void;
}

export function createOutput(terminal: Terminal, isJson: boolean): Output {
  return isJson ? jsonOutput(terminal) : textOutput(terminal);
}

function jsonOutput({ write }: Terminal): Output {
  const document = (value: unknown) => {
    write(`${safeJson(value, 2)}\n`);
  };
  return {
    isJson: true,
    list: document,
    record: document,
    result: (_text, object) => {
      document(object);
    },
    line: (_text, object) => {
      write(`${safeJson(object)}\n`);
    },
    note: () => undefined,
  };
}

function textOutput(terminal: Terminal): Output {
  const { write, note, paint } = terminal;
  const line = (text: string) => {
    write(`${text}\n`);
  };
  return {
    isJson: false,
    list: (rows, columns) => {
      if (rows.length === 0) note('No results.\n');
      else line(formatTable(rows, columns, terminal));
    },
    record: (record) => {
      const names = Object.keys(record).map((name) => name.replaceAll('_', ' '));
      const width = Math.max(...names.map((name) => name.length));
      Object.values(record).forEach((value, index) => {
        line(`${paint('bold', padToWidth(names[index] ?? '', width))}  ${formatValue(value)}`);
      });
    },
    result: line,
    line,
    note: (text) => {
      note(`${text}\n`);
    },
  };
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

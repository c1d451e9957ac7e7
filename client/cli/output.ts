/** What commands print: tables and sentences for people, with `--json` the objects of the API for programs. */
import { type Column, formatTable } from './table.js';
import type { Terminal } from './terminal.js';
import { oneLine, padded, safeJson } from './text.js';

export interface Output {
  isJson: boolean;
  list: <Row>(rows: Row[], columns: Column<Row>[]) => void;
  /** One thing, field by field. */
  record: (record: object) => void;
  /** A sentence about what was done; programs get the object. */
  done: (sentence: string, object: object) => void;
  /** One of many lines that keep coming; programs get one object a line. */
  line: (text: string, object: object) => void;
  /** A remark, for people only. */
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
    done: (_sentence, object) => {
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
      if (rows.length === 0) note('There are none.\n');
      else line(formatTable(rows, columns, terminal));
    },
    record: (record) => {
      const names = Object.keys(record).map((name) => name.replaceAll('_', ' '));
      const width = Math.max(...names.map((name) => name.length));
      Object.values(record).forEach((value, index) => {
        line(`${paint('bold', padded(names[index] ?? '', width))}  ${shown(value)}`);
      });
    },
    done: line,
    line,
    note: (text) => {
      note(`${text}\n`);
    },
  };
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

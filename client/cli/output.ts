/** What commands print: tables and sentences for people, with `--json` the objects of the API for programs. */
import { type Column, formatTable } from './table.js';
import type { Terminal } from './terminal.js';
import { padded, printable } from './text.js';

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
  const { write, paint } = terminal;
  const json = (value: unknown) => {
    write(`${JSON.stringify(value, null, 2)}\n`);
  };
  if (isJson) {
    return {
      isJson,
      list: json,
      record: json,
      done: (_sentence, object) => {
        json(object);
      },
      line: (_text, object) => {
        write(`${JSON.stringify(object)}\n`);
      },
      note: () => undefined,
    };
  }
  return {
    isJson,
    list: (rows, columns) => {
      const bold = (text: string) => paint('bold', text);
      if (rows.length === 0) terminal.note('There are none.\n');
      else write(`${formatTable(rows, columns, terminal.columns, bold)}\n`);
    },
    record: (record) => {
      const names = Object.keys(record).map((name) => name.replaceAll('_', ' '));
      const width = Math.max(...names.map((name) => name.length));
      Object.values(record).forEach((value, index) => {
        write(`${paint('bold', padded(names[index] ?? '', width))}  ${shown(value)}\n`);
      });
    },
    done: (sentence) => {
      write(`${sentence}\n`);
    },
    line: (text) => {
      write(`${text}\n`);
    },
    note: (text) => {
      terminal.note(`${text}\n`);
    },
  };
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** What commands print: tables and text for people, with `--json` the objects of the API for programs. */
import { type Column, formatTable } from './table.js';
import type { Line, Terminal } from './terminal.js';
import { displayWidth, escapeUnprintable, oneLine, padToWidth } from './text.js';

export interface Output {
  isJson: boolean;
  list: <Row>(rows: Row[], columns: Column<Row>[]) => void;
  /** A single resource, field by field. */
  record: (record: object) => void;
  /** What a command did, as one line or several, or as the object of the API. */
  result: (text: string | Line[], object: object) => void;
  /** The reply of an agent, with its own line breaks, or the object of the API. */
  reply: (text: string, object: object) => void;
  /** An entry of a continuous output; as JSON, one object a line. */
  line: (line: Line, object: object) => void;
  /** A remark on standard error, left out with `--json`. */
  note: (line: Line) => void;
}

export function createOutput(terminal: Terminal, isJson: boolean): Output {
  return isJson ? jsonOutput(terminal) : textOutput(terminal);
}

export function jsonLines(value: object): string[] {
  return JSON.stringify(value, null, 2).split('\n');
}

function jsonOutput({ print }: Terminal): Output {
  const document = (value: object) => {
    print(...jsonLines(value));
  };
  const ofObject = (_text: unknown, object: object) => {
    document(object);
  };
  return {
    isJson: true,
    list: document,
    record: document,
    result: ofObject,
    reply: ofObject,
    line: (_line, object) => {
      print(JSON.stringify(object));
    },
    note: () => undefined,
  };
}

function textOutput(terminal: Terminal): Output {
  const { print, printReply, note, columns: width } = terminal;
  return {
    isJson: false,
    list: (rows, columns) => {
      if (rows.length === 0) note('No results.');
      else print(...formatTable(rows, columns, width));
    },
    record: (record) => {
      const names = Object.keys(record).map((name) => escapeUnprintable(name.replaceAll('_', ' ')));
      const nameWidth = Math.max(...names.map(displayWidth));
      Object.values(record).forEach((value, index) => {
        const name = padToWidth(names[index] ?? '', nameWidth);
        const [first = '', ...rest] = valueLines(value);
        print([{ style: 'bold', text: name }, `  ${first}`]);
        print(...rest.map((line) => `${' '.repeat(nameWidth)}  ${line}`));
      });
    },
    result: (text) => {
      print(...(typeof text === 'string' ? [text] : text));
    },
    reply: (text) => {
      printReply(`${text}\n`);
    },
    line: (line) => {
      print(line);
    },
    note: (line) => {
      note(line);
    },
  };
}

/** Texts keep their line breaks, and objects get some. */
function valueLines(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/\r?\n/);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? jsonLines(value) : [formatValue(value)];
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

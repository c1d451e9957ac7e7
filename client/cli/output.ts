/** Prints the results of commands: as tables and text, or with `--json` as the API objects. */
import { type Column, formatTable } from './table.js';
import type { Line, Terminal } from './terminal.js';
import { displayWidth, escapeUnprintable, oneLine, padToWidth } from './text.js';

export interface Output {
  isJson: boolean;
  list: <Row>(rows: Row[], columns: Column<Row>[]) => void;
  /** A single resource, field by field. */
  record: (record: object) => void;
  /** The outcome of a command: lines of text, or the API object. */
  result: (text: string | Line[], object: object) => void;
  /** The reply of an agent with its line breaks, or the API object. */
  reply: (text: string, object: object) => void;
  /** A piece of a reply that is streamed. There is none with `--json`. */
  replyPiece: (text: string) => void;
  /** An entry of continuous output; as JSON, one object per line. */
  line: (line: Line, object: object) => void;
  /** A note on standard error, omitted with `--json`. */
  note: (line: Line) => void;
}

export interface OutputOptions {
  isJson: boolean;
  /** Whether replies are printed with their control characters. */
  isRaw: boolean;
}

export function createOutput(terminal: Terminal, { isJson, isRaw }: OutputOptions): Output {
  return isJson ? jsonOutput(terminal) : textOutput(terminal, isRaw);
}

export function jsonLines(value: object): string[] {
  return JSON.stringify(value, null, 2).split('\n');
}

function jsonOutput({ print }: Terminal): Output {
  const printDocument = (value: object) => {
    print(...jsonLines(value));
  };
  const printObject = (_text: unknown, object: object) => {
    printDocument(object);
  };
  return {
    isJson: true,
    list: printDocument,
    record: printDocument,
    result: printObject,
    reply: printObject,
    replyPiece: () => undefined,
    line: (_line, object) => {
      print(JSON.stringify(object));
    },
    note: () => undefined,
  };
}

function textOutput(terminal: Terminal, isRaw: boolean): Output {
  const { print, printReply, note, columns: width } = terminal;
  const replyPiece = (text: string) => {
    printReply(text, { isRaw });
  };
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
      replyPiece(`${text}\n`);
    },
    replyPiece,
    line: (line) => {
      print(line);
    },
    note: (line) => {
      note(line);
    },
  };
}

/** Text keeps its line breaks; objects are indented JSON. */
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

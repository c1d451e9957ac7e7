/** Prints what a command found: a table for people, one JSON document for machines. */

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
}

export interface CommandOutput {
  /** A list of things. */
  table: <Row>(rows: Row[], columns: Column<Row>[], json: (row: Row) => object) => void;
  /** One thing: its sentence for people, and what machines get. */
  done: (sentence: string, json: object) => void;
}

export function createOutput(asJson: boolean, write: (text: string) => void): CommandOutput {
  const writeJson = (value: unknown) => {
    write(`${JSON.stringify(value, null, 2)}\n`);
  };
  if (asJson) {
    return {
      table: (rows, _columns, json) => {
        writeJson(rows.map(json));
      },
      done: (_sentence, json) => {
        writeJson(json);
      },
    };
  }
  return {
    table: (rows, columns) => {
      write(rows.length === 0 ? 'None.\n' : `${formatTable(rows, columns)}\n`);
    },
    done: (sentence) => {
      write(`${sentence}\n`);
    },
  };
}

function formatTable<Row>(rows: Row[], columns: Column<Row>[]): string {
  const lines = [
    columns.map(({ title }) => title.toUpperCase()),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

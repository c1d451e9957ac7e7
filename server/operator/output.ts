/** Prints the result of a command: as a table or a sentence, or as JSON with --json. */

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
}

export interface CommandOutput {
  table: <Row>(rows: Row[], columns: Column<Row>[], json: (row: Row) => object) => void;
  /** A single result: a sentence, and the document for --json. */
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

/**
 * Rows that a statement reads from one JSON parameter, and columns that it returns. Columns are listed once, with their names in
 * `prisma/schema.prisma` and their SQL types, and the SQL is derived from the list.
 */

export type Columns = Readonly<Record<string, string>>;

export type RowOf<Listed extends Columns> = Readonly<Record<keyof Listed, unknown>>;

/** The parameter: the listed columns of each row, and nothing else that an object may have. */
export function jsonRows<Listed extends Columns>(
  columns: Listed,
  rows: readonly RowOf<Listed>[],
): string {
  const names: (keyof Listed)[] = Object.keys(columns);
  return JSON.stringify(
    rows.map((row) => {
      const listed: Partial<Record<keyof Listed, unknown>> = {};
      for (const name of names) listed[name] = jsonValue(row[name]);
      return listed;
    }),
  );
}

function jsonValue(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return `\\x${bytes.toString('hex')}`;
}

/** A FROM item with the rows of a parameter, such as `$2`. */
export function rowsFrom(parameter: string, alias: string, columns: Columns): string {
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `json_to_recordset(${parameter}::json) AS ${alias} (${typed.join(', ')})`;
}

/** For INSERT: the columns of a table. */
export function columnsOf(columns: Columns): string {
  return Object.keys(columns).map(columnOf).join(', ');
}

/** The values of those columns, from the rows of a parameter. */
export function valuesOf(alias: string, columns: Columns): string {
  return Object.keys(columns)
    .map((name) => `${alias}."${name}"`)
    .join(', ');
}

/** For SET: assigns the values to the columns. */
export function assigned(alias: string, columns: Columns): string {
  return Object.keys(columns)
    .map((name) => `${columnOf(name)} = ${alias}."${name}"`)
    .join(', ');
}

/** For SELECT and RETURNING: the columns of a table under their names in TypeScript. */
export function selected(table: string, names: readonly string[]): string {
  return names.map((name) => `${table}.${columnOf(name)} AS "${name}"`).join(', ');
}

/** The column of a field, whose name in TypeScript is in camel case. */
export function columnOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

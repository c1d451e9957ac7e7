/** Finds statements in a migration that are not allowed while instances of the previous release use the same tables. */
import { partitionedTables } from '../../server/postgres/retention/partitions.js';

export interface Incompatibility {
  statement: string;
  reason: string;
}

/** Tables with millions of rows, where statements that read or write all rows take a long time. */
export const largeTables = [
  'deliveries',
  'events',
  'idempotency_records',
  'invocations',
  'log_entries',
  'memory_embeddings',
  'memory_entries',
  'memory_words',
  'stream_events',
  'usage_deltas',
  'usage_rollups',
];

interface Rule {
  pattern: RegExp;
  reason: string;
  /** Only for these tables. */
  tables?: readonly string[];
}

const name = String.raw`(?:ONLY\s+)?(?:public\.)?"?(?<table>\w+)"?`;
const alter = String.raw`^ALTER TABLE\s+(?:IF EXISTS\s+)?${name}[^]*`;
const rule = (pattern: string, reason: string, tables?: readonly string[]): Rule => ({
  pattern: new RegExp(pattern, 'i'),
  reason,
  ...(tables && { tables }),
});

const rules: Rule[] = [
  rule(String.raw`^DROP TABLE\s+(?:IF EXISTS\s+)?${name}`, 'the release before reads the table'),
  rule(`${alter}\\bDROP COLUMN\\b`, 'the release before reads the column'),
  rule(`${alter}\\bRENAME\\b`, 'the release before knows it by its old name'),
  rule(`${alter}\\bALTER COLUMN\\b[^,]*\\bTYPE\\b`, 'it rewrites the table, and changes a type'),
  rule(`${alter}\\bSET NOT NULL\\b`, 'the release before may write NULL'),
  rule(
    `${alter}\\bADD COLUMN\\b(?![^,]*\\b(DEFAULT|GENERATED)\\b)[^,]*\\bNOT NULL\\b`,
    'the release before does not write the column: give it a DEFAULT',
  ),
  rule(`${alter}\\bADD COLUMN\\b[^;]*\\bSTORED\\b`, 'it rewrites a large table', largeTables),
  rule(
    `${alter}\\bADD CONSTRAINT\\b(?![^;]*\\bNOT VALID\\b)`,
    'what the release before writes may break it, and it reads the table under a lock: add it NOT VALID',
  ),
  rule(
    String.raw`^CREATE UNIQUE INDEX\b[^]*?\bON\s+${name}`,
    'what the release before writes may break it',
  ),
  rule(
    String.raw`^CREATE INDEX\b(?!\s+CONCURRENTLY\b)[^]*?\bON\s+(?!ONLY\b)${name}`,
    'it locks out the writers of a large table while it is built: create it CONCURRENTLY, in a migration of its own',
    largeTables,
  ),
  rule(
    String.raw`^CREATE (?:UNIQUE )?INDEX\s+CONCURRENTLY\b[^]*?\bON\s+${name}`,
    'PostgreSQL cannot do that with a partitioned table: create it ON ONLY the table, for the partitions to come',
    Object.keys(partitionedTables),
  ),
  rule(String.raw`^UPDATE\s+${name}`, 'it rewrites a large table in one transaction', largeTables),
  rule(String.raw`^LOCK TABLE\s+${name}`, 'it locks others out'),
];

/** `released` are the tables of the previous release. Tables that the migrations create themselves may be changed freely. */
export function findIncompatibilities(
  script: string,
  released: ReadonlySet<string>,
): Incompatibility[] {
  return statementsOf(script).flatMap(({ text, isExplained }) => {
    if (isExplained) return [];
    return rules.flatMap(({ pattern, reason, tables = [...released] }) => {
      const table = pattern.exec(text)?.groups?.['table'];
      const isFound = table !== undefined && released.has(table) && tables.includes(table);
      return isFound ? [{ statement: text, reason }] : [];
    });
  });
}

export function tablesOf(scripts: readonly string[]): Set<string> {
  const created = /CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)"?/gi;
  return new Set(scripts.flatMap((text) => [...text.matchAll(created)].map(([, own = '']) => own)));
}

/** A comment `-- compatible: REASON` above a statement exempts it. */
function statementsOf(script: string): { text: string; isExplained: boolean }[] {
  const bodies = script.replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "''");
  return bodies.split(/;[^\S\n]*(?:\n|$)/).map((part) => ({
    text: part.replaceAll(/^\s*--.*$/gm, '').trim(),
    isExplained: /^-- compatible: \S/m.test(part),
  }));
}

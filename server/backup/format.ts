/**
 * The format of a backup, a tar archive compressed with gzip:
 *
 *   backup.json          the release, the time, the migrations, and the tables with their columns
 *   tables/NAME/NUMBER   the rows of a table, as COPY writes them, in chunks of a megabyte
 *   totals.json          the rows, bytes and SHA-256 of each table, and the values of sequences
 *
 * The contents are not trusted: statements use only names from the catalogue of the target database.
 */
import { compileSchema } from '../lib/data/json-schema.js';
import { messageOf } from '../lib/errors/error-code.js';
import type { Partition, SequenceValue } from './copy.sql.js';

export const HEADER = 'backup.json';
export const TOTALS = 'totals.json';
export const FORMAT = 'agent-hosting-service backup';
export const FORMAT_VERSION = 1;

/** Limits the memory that reading a backup takes, whatever it contains. */
export const maxPartBytes = 4 * 1024 ** 2;

export interface BackupHeader {
  format: typeof FORMAT;
  formatVersion: number;
  /** The release that wrote the backup. */
  service: string;
  createdAt: string;
  /** The applied migrations, with the SHA-256 of each. */
  migrations: { name: string; checksum: string }[];
  /** The first migration whose release can run on the tables. Undefined in backups of early releases. */
  compatibleFrom?: string | null;
  /** Identifies the SECRETS_KEY that stored secrets are encrypted with, without revealing it. Null: there are no secrets yet. */
  secretsKey: string | null;
  /** `nullable` is undefined in backups of early releases. */
  tables: { name: string; columns: string[]; nullable?: string[] }[];
  partitions: Partition[];
}

export interface TableTotals {
  name: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface BackupTotals {
  tables: TableTotals[];
  sequences: SequenceValue[];
}

/** The file cannot be restored; the message says why. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem';
}

const name = { type: 'string', pattern: '^[a-z_][a-z0-9_]{0,62}$' };
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** Values contain no quotes, so that they cannot end their string literal. */
const boundValues = String.raw`\(((MINVALUE|MAXVALUE|'[\w :+.-]*')(, )?)+\)`;

const migration = { pattern: String.raw`^\w{1,200}$` };

const object = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
});
const listOf = (items: object) => ({ type: 'array', items });

const checkHeader = compileSchema(
  object(
    {
      format: { const: FORMAT },
      formatVersion: { const: FORMAT_VERSION },
      service: { type: 'string', maxLength: 100 },
      createdAt: { type: 'string', format: 'date-time' },
      migrations: {
        ...listOf(object({ name: { type: 'string', ...migration }, checksum: hash })),
        minItems: 1,
      },
      secretsKey: { type: ['string', 'null'], pattern: '^[A-Za-z0-9_-]{43}$' },
      tables: listOf(object({ name, columns: listOf(name) }, { nullable: listOf(name) })),
      partitions: listOf(
        object({
          table: name,
          name,
          bound: {
            type: 'string',
            pattern: `^(DEFAULT|FOR VALUES FROM ${boundValues} TO ${boundValues})$`,
          },
        }),
      ),
    },
    { compatibleFrom: { type: ['string', 'null'], ...migration } },
  ),
);

const checkTotals = compileSchema(
  object({
    tables: listOf(object({ name, rows: count, bytes: count, sha256: hash })),
    sequences: listOf(
      object({ table: name, column: name, value: { type: 'string', pattern: '^-?[0-9]{1,19}$' } }),
    ),
  }),
);

export function parseHeader(content: Buffer): BackupHeader {
  const header = parseJson(content) as Partial<BackupHeader> | null;
  if (header?.format !== FORMAT) throw new BackupProblem('It is not a backup of this service.');
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new BackupProblem(
      `It was made by a newer release (${String(header.service)}), in a format that this one does not know. Restore it with that release.`,
    );
  }
  const problem = checkHeader(header);
  if (problem !== undefined) throw new BackupProblem(`It is damaged: ${HEADER}: ${problem}.`);
  return header as BackupHeader;
}

export function parseTotals(content: Buffer): BackupTotals {
  const totals = parseJson(content);
  const problem = checkTotals(totals);
  if (problem !== undefined) throw new BackupProblem(`It is damaged: ${TOTALS}: ${problem}.`);
  return totals as BackupTotals;
}

function parseJson(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString()) as unknown;
  } catch (cause) {
    throw new BackupProblem(`It is damaged: ${messageOf(cause)}.`, { cause });
  }
}

export function partName(table: string, number: number): string {
  return `tables/${table}/${String(number).padStart(9, '0')}`;
}

export function tableOfPart(part: string): string | undefined {
  return /^tables\/(\w+)\/\d+$/.exec(part)?.[1];
}

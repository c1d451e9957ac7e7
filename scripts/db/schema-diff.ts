/** Compares the Prisma schema with the result of applying the migrations to an empty database. */
import { readFile } from 'node:fs/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  type ColumnType,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { PostgresClient } from '../../server/lib/net/postgres-client.js';
import { listMigrations, NO_FILTERS, openSchemaEngine } from './schema-engine.js';

export interface SchemaDiffOptions {
  schemaFile: string;
  migrationsDirectory: string;
  /** An empty, temporary database. */
  scratchUrl: string;
}

/** The SQL that brings the migrations up to the schema; empty if there is no difference. */
export async function diffSchema(options: SchemaDiffOptions): Promise<string> {
  const { schemaFile, migrationsDirectory, scratchUrl } = options;
  const schema = { path: schemaFile, content: await readFile(schemaFile, 'utf8') };
  const pool = new pg.Pool({ Client: PostgresClient, connectionString: scratchUrl, max: 1 });
  try {
    const engine = await openSchemaEngine({
      datamodel: [schema.path, schema.content],
      pool,
      connectToShadow: async () => adaptToEngine(await new PrismaPg(pool).connect(), pool),
    });
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...(await listMigrations(migrationsDirectory)) },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: null,
      filters: NO_FILTERS,
    });
    const script = stdout?.trim() ?? '';
    return script === '-- This is an empty migration.' ? '' : `${script}\n`;
  } finally {
    await pool.end();
  }
}

// Prisma's adapter does not support the type "char" of PostgreSQL's catalogs. These are the types of the catalog
// columns that the engine queries.
const CATALOG_TYPES = new Map<number, ColumnType>([
  [16, ColumnTypeEnum.Boolean],
  [18, ColumnTypeEnum.Character],
  [19, ColumnTypeEnum.Text],
  [20, ColumnTypeEnum.Int64],
  [21, ColumnTypeEnum.Int32],
  [23, ColumnTypeEnum.Int32],
  [25, ColumnTypeEnum.Text],
  [26, ColumnTypeEnum.Int64],
  [1009, ColumnTypeEnum.TextArray],
  [1043, ColumnTypeEnum.Text],
]);

function adaptToEngine(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  return Object.assign(adapter, {
    // Prisma's adapter splits a script at every semicolon, which breaks function bodies.
    executeScript: async (script: string) => {
      await pool.query(script);
    },
    queryRaw: async ({ sql, args }: SqlQuery) => {
      const { fields, rows } = await pool.query<unknown[]>({
        text: sql,
        values: args,
        rowMode: 'array',
      });
      return {
        columnNames: fields.map(({ name }) => name),
        columnTypes: fields.map(({ name, dataTypeID }) => {
          const type = CATALOG_TYPES.get(dataTypeID);
          if (type === undefined) {
            throw new Error(
              `The schema engine queried ${name}, which has the unknown type ${dataTypeID}.`,
            );
          }
          return type;
        }),
        rows,
      };
    },
  });
}

/** Loads Prisma's schema engine (WebAssembly, no native binary to download), which compares schemas and migrations. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';
import { migrationNames, readMigration } from '../../server/postgres/migrations/migrations.js';

/** No tables or enums are managed outside of Prisma. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

interface EngineOptions {
  /** The schema's path and text. */
  datamodel: [string, string];
  pool: pg.Pool;
  /** Opens an empty shadow database, in which the engine tests migrations. */
  connectToShadow?: () => Promise<SqlDriverAdapter>;
}

export async function openSchemaEngine(options: EngineOptions): Promise<SchemaEngine> {
  const { pool, datamodel, connectToShadow } = options;
  const factory = new PrismaPg(pool);
  // The bindings hold one instance per process, so they are loaded once.
  const bindings = await (loading ??= loadBindings());
  return bindings.SchemaEngine.new(
    { datamodels: [datamodel] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory({
      provider: factory.provider,
      adapterName: factory.adapterName,
      connect: () => factory.connect(),
      connectToShadowDb:
        connectToShadow ??
        (() => Promise.reject(new Error('This engine was opened without a shadow database.'))),
    }),
  );
}

/** The migrations of a directory, as the engine takes them. */
export async function listMigrations(directory: string): Promise<MigrationList> {
  const names = await migrationNames(directory);
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readMigration(directory, name) },
        },
      })),
    ),
  };
}

// Declares only what is used here: TypeScript's own types come with the whole DOM library.
declare const WebAssembly: {
  instantiate(
    module: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

// The engine never clears a ten-second timer, which would keep a finished process alive.
function unrefTimers(imports: string[]): Record<string, unknown> {
  const setTimer = (callback: () => void, milliseconds: number) =>
    setTimeout(callback, milliseconds).unref();
  const names = imports.filter((name) => name.startsWith('__wbg_setTimeout_'));
  return Object.fromEntries(names.map((name) => [name, setTimer]));
}

let loading: ReturnType<typeof loadBindings> | undefined;

async function loadBindings() {
  const name = '@prisma/schema-engine-wasm/schema_engine_bg';
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const script = createRequire(import.meta.url).resolve(name);
  const { instance } = await WebAssembly.instantiate(
    await readFile(script.replace(/\.js$/, '.wasm')),
    { './schema_engine_bg.js': { ...bindings, ...unrefTimers(Object.keys(bindings)) } },
  );
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') Reflect.apply(start, undefined, []);
  return bindings;
}

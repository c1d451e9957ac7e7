/** Loads Prisma's schema engine (WebAssembly, no native binary), which knows how schemas become SQL and migrations run. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';

export type { MigrationList, SchemaEngine };

/** What the engine wants to hear about tables that Prisma shall not touch: there are none. */
export const NO_FILTERS = { externalTables: [], externalEnums: [] };

export interface EngineOptions {
  /** The schema's path and text. */
  datamodel: [string, string];
  /** Where the engine works. With one connection in it, a transaction opened on it spans all that the engine does. */
  pool: pg.Pool;
  /** Opens an empty database in which the engine may try migrations out. */
  connectToShadow?: () => Promise<SqlDriverAdapter>;
  /** Told what PostgreSQL said about a script, which the engine's own errors do not always repeat. */
  onScriptFailure?: (error: unknown) => void;
}

export async function openSchemaEngine(options: EngineOptions): Promise<SchemaEngine> {
  const { pool, datamodel, connectToShadow, onScriptFailure } = options;
  const factory = new PrismaPg(pool);
  // The bindings hold one instance per process, so it is made once.
  const bindings = await (loading ??= loadBindings());
  return bindings.SchemaEngine.new(
    { datamodels: [datamodel] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory({
      provider: factory.provider,
      adapterName: factory.adapterName,
      connect: async () => sendingWholeScripts(await factory.connect(), pool, onScriptFailure),
      connectToShadowDb:
        connectToShadow ??
        (() => Promise.reject(new Error('This engine was opened without a shadow database.'))),
    }),
  );
}

/**
 * Prisma's adapter cuts a script at every semicolon, which breaks function bodies, and runs the pieces one by one, which
 * leaves half a migration behind when one fails. PostgreSQL itself takes a script as a whole, and as one transaction.
 */
export function sendingWholeScripts(
  adapter: SqlDriverAdapter,
  pool: pg.Pool,
  onFailure: (error: unknown) => void = () => undefined,
): SqlDriverAdapter {
  return Object.assign(adapter, {
    executeScript: async (script: string) => {
      await pool.query(script).catch((error: unknown) => {
        onFailure(error);
        throw error;
      });
    },
  });
}

// The part of it that is used here; the compiler knows it only together with everything else of a browser.
declare const WebAssembly: {
  instantiate(
    module: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

// The engine sets a ten-second alarm and never takes it back, for which no process that has finished should wait.
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

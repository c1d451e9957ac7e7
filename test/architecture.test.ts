/** Architecture rules: imports point downwards only, and nothing about an operation is written twice. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { operations } from '../generated/operations.js';
import { root } from './helpers/programs/workspace.js';

/** The folders of the server, from the bottom to the top. Imports point upwards in this list only, types included. */
const order = [
  'lib',
  'embedded-postgres',
  'contract',
  'config',
  'models',
  'postgres',
  'telemetry',
  'installation',
  // The nouns of the product
  'accounts',
  'metrics',
  'logs',
  'agents',
  'keys',
  'deployments',
  'access',
  'memory',
  'webhooks',
  'idempotency',
  'invocations',
  'schedules',
  'users',
  // What serves and operates them
  'backup',
  'http',
  'process',
  'operator',
];

/** Who may look inside the database handle and write SQL: the nouns, and what is below them. */
const usesDatabase = [
  'embedded-postgres',
  'postgres',
  'installation',
  ...order.slice(order.indexOf('accounts'), order.indexOf('http')),
];

/** Files directly in server/: the programs, the composition root and the request pipeline. */
const top = ['app', 'healthcheck', 'main', 'operations', 'service', 'worker'];

interface SourceFile {
  /** Path relative to server/, without the extension. */
  name: string;
  text: string;
}

const files = await sourceFiles();
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

async function sourceFiles(): Promise<SourceFile[]> {
  const server = path.join(root, 'server');
  const names = await readdir(server, { recursive: true });
  return Promise.all(
    names
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map(async (name) => ({
        name: name.slice(0, -'.ts'.length),
        text: await readFile(path.join(server, name), 'utf8'),
      })),
  );
}

function folderOf(name: string): string {
  const [folder, ...rest] = name.split('/');
  return folder === undefined || rest.length === 0 ? 'top' : folder;
}

/** The imports of a file, types included: server files relative to server/, others relative to the project. */
function importsOf({ name, text }: SourceFile): string[] {
  return ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((target) => target.startsWith('.'))
    .map((target) => path.join('server', path.dirname(name), target.replace(/\.js$/, '')))
    .map((target) => path.relative('server', target));
}

function wrongImports(isWrong: (from: string, to: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((target) => isWrong(file.name, target))
      .map((target) => `${file.name} → ${target}`),
  );
}

describe('the server', () => {
  test('consists of known folders', () => {
    const folders = new Set(files.map(({ name }) => folderOf(name)));
    expect([...folders].sort()).toEqual([...order, 'top'].sort());
    const loose = files.filter(({ name }) => folderOf(name) === 'top');
    expect(loose.map(({ name }) => name)).toEqual(top);
  });

  test('imports downwards only', () => {
    const isUpward = (from: string, to: string) => {
      const [origin, target] = [folderOf(from), folderOf(to)].map((folder) =>
        order.indexOf(folder),
      );
      return origin !== undefined && target !== undefined && origin !== -1 && target > origin;
    };
    expect(wrongImports(isUpward)).toEqual([]);
  });

  test('has no circle of imports, types included', () => {
    const targets = new Map(files.map((file) => [file.name, importsOf(file)]));
    const done = new Set<string>();
    const circleFrom = (name: string, path: readonly string[]): string | undefined => {
      if (path.includes(name)) return [...path.slice(path.indexOf(name)), name].join(' → ');
      if (done.has(name)) return undefined;
      const circle = (targets.get(name) ?? [])
        .map((target) => circleFrom(target, [...path, name]))
        .find((found) => found !== undefined);
      done.add(name);
      return circle;
    };
    expect(files.map(({ name }) => circleFrom(name, [])).filter(Boolean)).toEqual([]);
  });

  test('has one composition root: nothing imports the programs', () => {
    const isProgram = (_from: string, to: string) => top.includes(to) || to === 'operator/main';
    expect(wrongImports(isProgram).sort()).toEqual([
      'main → service',
      'service → app',
      'service → operations',
    ]);
  });

  test('imports from outside only generated code and the command-line formatting', () => {
    // The two command lines share their formatting. These client files depend on neither the SDK nor the service.
    const shared = /^\.\.\/client\/cli\/(exit-code-values|styled-line|table|time)$/;
    const isOutside = (from: string, to: string) =>
      to.startsWith('..') &&
      !to.startsWith('../generated/') &&
      !(folderOf(from) === 'operator' && shared.test(to));
    expect(wrongImports(isOutside)).toEqual([]);
  });

  test('imports only packages that package.json lists as production dependencies', () => {
    const needed = files.flatMap(({ name, text }) =>
      packagesIn(text).map((needs) => ({ needs, name })),
    );
    const missing = needed.filter(
      ({ needs, name }) =>
        !(needs in manifest.dependencies) &&
        // Too large to install for the few users with a collector. The build bundles the parts in use.
        !(name === 'telemetry/tracing' && needs in manifest.devDependencies),
    );
    expect(missing).toEqual([]);
  });

  test('imports the database client only where the database is used', () => {
    const isClient = (from: string, to: string) =>
      to.startsWith('../generated/prisma') && !usesDatabase.includes(folderOf(from));
    expect(wrongImports(isClient)).toEqual([]);
  });

  test('writes to the standard streams only in the module that escapes every text', () => {
    const stream = /\bprocess\.std(out|err)\b|\bconsole\./;
    const found = files.filter(({ text }) => stream.test(code(text)));
    // The other one runs where nothing else may be loaded yet.
    expect(found.map(({ name }) => name)).toEqual([
      'lib/system/supported-node',
      'lib/system/terminal',
    ]);
  });

  test('uses the database handle only in nouns and below them', () => {
    const inside = /\bprisma\b|\$transaction|\$(query|execute)Raw|\bpool\b/;
    const above = files.filter(({ name }) => ![...usesDatabase, 'lib'].includes(folderOf(name)));
    expect(above.filter(({ text }) => inside.test(code(text))).map(({ name }) => name)).toEqual([]);
  });

  test('handles the errors of every database connection, so that none ends the process', () => {
    const ownClient = files.filter(({ text }) => /\bnew pg\.Client\(/.test(code(text)));
    expect(ownClient.map(({ name }) => name)).toEqual([]);
    const ownPool = files.filter(({ text }) => /\b(new|extends) pg\.Pool\b/.test(code(text)));
    const unsafe = ownPool.filter(({ text }) => !/\b(Client:|extends) PostgresClient\b/.test(text));
    expect(unsafe.map(({ name }) => name)).toEqual([]);
  });

  test('writes SQL only in nouns and below them', () => {
    const statement =
      /\b(SELECT|INSERT INTO|DELETE FROM|LISTEN|TRUNCATE)\b|\bUPDATE \w+ (AS )?(\w+ )?SET\b|\bCREATE (ROLE|DATABASE|EXTENSION)\b|['"`](BEGIN|COMMIT)['"`]|\bpg_\w+\(/;
    const found = files.filter(
      ({ name, text }) => !usesDatabase.includes(folderOf(name)) && statement.test(code(text)),
    );
    expect(found.map(({ name }) => name)).toEqual([]);
    const raw = files.filter(({ text }) => /\$(query|execute)Raw/.test(code(text)));
    expect(raw.map(({ name }) => path.basename(name))).toEqual(['connection']);
  });

  test('contains no path of an operation', () => {
    const paths = Object.values(operations).map((operation) => operation.path);
    // Paths begin with the version. A path after a host belongs to another service.
    const patterns = [/(?<![\w.])\/v1\b/, ...paths.map((text) => new RegExp(escaped(text)))];
    const found = files.filter(({ text }) => patterns.some((pattern) => pattern.test(code(text))));
    expect(found.map(({ name }) => name)).toEqual([]);
  });

  test('compares no request with an operation id', () => {
    const ids = Object.keys(operations).join('|');
    const comparison = new RegExp(`[!=]==? '(${ids})'|case '(${ids})'`);
    expect(files.filter(({ text }) => comparison.test(text)).map(({ name }) => name)).toEqual([]);
  });
});

/** The packages that the file loads at run time, without types and Node modules. */
function packagesIn(text: string): string[] {
  const atRunTime = text.replaceAll(/^((import|export) type [\s\S]*?;|declare module .*)$/gm, '');
  return ts
    .preProcessFile(atRunTime, true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((target) => !/^(\.|node:)/.test(target))
    .map((target) => /^(@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The text without its comments. */
function code(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

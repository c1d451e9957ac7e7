/** Runs the compiler over the type-level cases, and checks that each rejection is a compiler error. */
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'test/types/operations.cases.ts');
const directive = /\/\/ @ts-expect-error/;
const source = ts.sys.readFile(file) ?? '';
const lines = source.split('\n');
const refusals = lines.flatMap((line, index) => (directive.test(line) ? [index + 1] : []));

/** Compiles this text in place of the cases, with the project's own options. */
function problems(text: string): { line: number; message: string }[] {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), (name) =>
    ts.sys.readFile(name),
  ) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const readFromDisk = host.readFile.bind(host);
  host.readFile = (name) => (path.resolve(name) === file ? text : readFromDisk(name));
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => ({
    line: (diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line ?? -1) + 1,
    message: ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
  }));
}

describe('the types derived from the contract', () => {
  test('accept valid operations, and reject each invalid case', () => {
    expect(problems(source)).toEqual([]);
  });

  test('produce a separate error for every rejection without its directive', () => {
    const bare = lines.map((line) => line.replace(directive, '//')).join('\n');
    const found = new Set(problems(bare).map(({ line }) => line));
    expect(refusals.length).toBeGreaterThanOrEqual(15);
    expect(refusals.filter((line) => !found.has(line + 1))).toEqual([]);
  });
});

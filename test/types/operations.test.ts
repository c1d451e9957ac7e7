/** Runs the real compiler over the cases of the type-level bridge, and shows that each refusal is one. */
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'test/types/operations.cases.ts');
const directive = /\/\/ @ts-expect-error/;
const source = ts.sys.readFile(file) ?? '';
const lines = source.split('\n');
const refusals = lines.flatMap((line, index) => (directive.test(line) ? [index + 1] : []));

/** Compiles the cases with the project's own options, their text replaced by the given one. */
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

describe('the bridge from the contract to the code', () => {
  test('lets through what fits, and refuses what each case says', () => {
    expect(problems(source)).toEqual([]);
  });

  test('every refusal is an error of its own once its directive is gone', () => {
    const bare = lines.map((line) => line.replace(directive, '//')).join('\n');
    const found = new Set(problems(bare).map(({ line }) => line));
    expect(refusals.length).toBeGreaterThanOrEqual(15);
    expect(refusals.filter((line) => !found.has(line + 1))).toEqual([]);
  });
});

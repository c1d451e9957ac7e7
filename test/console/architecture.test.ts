/** The structure of the console: imports point downwards, it uses only the SDK of this project, and text never becomes HTML. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { root } from '../helpers/programs/workspace.js';

const folder = path.join(root, 'client/console');

/** From the bottom to the top: each layer may import those before it. */
const layers = ['lib', 'api', 'components', 'pages', 'app', 'main'];

interface SourceFile {
  /** From client/console/, without the extension. */
  name: string;
  text: string;
  /** Files from client/console/, and packages. */
  imports: string[];
}

const files = await sourceFiles();

async function sourceFiles(): Promise<SourceFile[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names
      .filter((name) => /\.tsx?$/.test(name))
      .sort()
      .map(async (file) => {
        const text = await readFile(path.join(folder, file), 'utf8');
        const name = file.replace(/\.tsx?$/, '');
        const imports = ts
          .preProcessFile(text, true, true)
          .importedFiles.map(({ fileName }) =>
            fileName.startsWith('.')
              ? path.join(path.dirname(name), fileName.replace(/\.js$/, ''))
              : fileName,
          );
        return { name, text, imports };
      }),
  );
}

function layerOf(name: string): number {
  return layers.indexOf(name.split('/')[0] ?? '');
}

const importPairs = files.flatMap(({ name, imports }) =>
  imports.map((target) => ({ name, target })),
);
const own = new Set(files.map(({ name }) => name));

describe('the console', () => {
  test('has only known layers, and imports downwards only', () => {
    expect(files.filter(({ name }) => layerOf(name) < 0)).toEqual([]);
    const upwards = importPairs.filter(
      ({ name, target }) => own.has(target) && layerOf(target) > layerOf(name),
    );
    expect(upwards).toEqual([]);
  });

  test('uses the SDK, five packages, and nothing else', () => {
    const others = importPairs.map(({ target }) => target).filter((target) => !own.has(target));
    const outside = others.filter((target) => !target.startsWith('../src/'));
    expect([...new Set(outside)].sort()).toEqual([
      '@preact/signals',
      'diff',
      'markdown-it',
      'preact',
      'preact/hooks',
      'uplot',
    ]);
  });

  test('turns text neither into HTML nor into code', () => {
    const dangerous =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/;
    expect(files.filter(({ text }) => dangerous.test(text)).map(({ name }) => name)).toEqual([]);
  });

  test('calls the service only through the SDK', () => {
    const found = files.filter(({ text }) => /\bfetch\(|XMLHttpRequest|WebSocket/.test(text));
    expect(found.map(({ name }) => name)).toEqual(['api/connection']);
  });
});

/** The shape of the console: imports point downwards only, it uses the SDK and nothing else of the project, and no text is HTML. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { root } from '../helpers/workspace.js';

const folder = path.join(root, 'client/console');

/** From the bottom to the top: each may use those before it. */
const floors = ['lib', 'api', 'components', 'pages', 'app', 'main'];

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

function floorOf(name: string): number {
  return floors.indexOf(name.split('/')[0] ?? '');
}

const arrows = files.flatMap(({ name, imports }) => imports.map((target) => ({ name, target })));
const own = new Set(files.map(({ name }) => name));

describe('the console', () => {
  test('has no floor that nobody thought about, and imports downwards only', () => {
    expect(files.filter(({ name }) => floorOf(name) < 0)).toEqual([]);
    const upwards = arrows.filter(
      ({ name, target }) => own.has(target) && floorOf(target) > floorOf(name),
    );
    expect(upwards).toEqual([]);
  });

  test('uses the SDK, four packages, and nothing else', () => {
    const others = arrows.map(({ target }) => target).filter((target) => !own.has(target));
    const outside = others.filter((target) => !target.startsWith('../src/'));
    expect([...new Set(outside)].sort()).toEqual([
      '@preact/signals',
      'diff',
      'preact',
      'preact/hooks',
      'uplot',
    ]);
  });

  test('makes no HTML of text, and no code either', () => {
    const dangerous =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/;
    expect(files.filter(({ text }) => dangerous.test(text)).map(({ name }) => name)).toEqual([]);
  });

  test('calls the service by the SDK alone', () => {
    const found = files.filter(({ text }) => /\bfetch\(|XMLHttpRequest|WebSocket/.test(text));
    expect(found.map(({ name }) => name)).toEqual(['api/connection']);
  });

  test('keeps its files short, and opens each with what it is for', () => {
    expect(
      files.filter(({ text }) => text.split('\n').length > 201).map(({ name }) => name),
    ).toEqual([]);
    expect(files.filter(({ text }) => !text.startsWith('/**')).map(({ name }) => name)).toEqual([]);
  });
});

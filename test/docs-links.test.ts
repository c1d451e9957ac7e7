/** Links between the Markdown files of the project lead to existing files and headings. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './helpers/programs/workspace.js';

const files = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'client/README.md',
    'deploy/README.md',
    'spec/README.md',
  ],
  ...(await readdir(path.join(root, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

function textOf(file: string): string {
  return readFileSync(path.join(root, file), 'utf8').replaceAll(/^```[^]*?^```/gm, '');
}

/** The anchor that GitHub generates for a heading. */
function headingsOf(file: string): string[] {
  const headings = textOf(file).matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );
}

function isDead(file: string, link: string): boolean {
  const [target = '', heading] = link.split('#');
  const linked = target === '' ? file : path.join(path.dirname(file), target);
  if (!existsSync(path.join(root, linked))) return true;
  return heading !== undefined && !headingsOf(linked).includes(heading);
}

test.each(files)('%s has no dead link', (file) => {
  const links = textOf(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
  const dead = Array.from(links, ([, link = '']) => link).filter((link) => isDead(file, link));
  expect(dead).toEqual([]);
});

test('the walkthrough names files that exist', () => {
  const text = textOf('docs/contributing/walkthrough.md');
  const named = Array.from(text.matchAll(/`([\w./-]+\/[\w.-]*)`/g), ([, name = '']) => name);
  expect(named.length).toBeGreaterThan(20);
  const isMissing = (name: string) =>
    !['', 'server'].some((folder) => existsSync(path.join(root, folder, name)));
  expect(named.filter(isMissing)).toEqual([]);
});

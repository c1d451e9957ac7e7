/** Holds the documentation to the word list of the linter, which reads code only, and to the length of a page. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inProject } from '../lib/project.js';

const folders = ['docs', 'examples', 'deploy', 'spec'];
const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'client/README.md'];
const maxWords = 1_800;
/** Grows with each release. */
const unlimited = ['CHANGELOG.md'];

interface LinterConfig {
  rules: { 'no-warning-comments': [string, { terms: string[] }] };
}

/** Resolves to a description of the problems, or to undefined if there are none. */
export async function checkProse(): Promise<string | undefined> {
  const config = JSON.parse(await readFile(inProject('.oxlintrc.json'), 'utf8')) as LinterConfig;
  const [, { terms }] = config.rules['no-warning-comments'];
  const refused = new RegExp(`\\b(${terms.join('|')})\\b`, 'i');
  const problems: string[] = [];
  for (const file of await markdownFiles()) {
    const text = await readFile(inProject(file), 'utf8');
    for (const [index, line] of text.split('\n').entries()) {
      // The name of a Unix user is fine in code.
      const word = refused.exec(line.replaceAll(/`[^`]*`/g, ''))?.[0];
      if (word !== undefined)
        problems.push(`${file}:${index + 1}: "${word}" is vague. Name who acts.`);
    }
    const words = text.split(/\s+/).filter(Boolean).length;
    if (words > maxWords && !unlimited.includes(file)) {
      problems.push(`${file}: ${words} words. Split pages of more than ${maxWords}.`);
    }
  }
  return problems.length === 0 ? undefined : problems.join('\n');
}

async function markdownFiles(): Promise<string[]> {
  const inFolders = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(inProject(folder), { recursive: true });
      return names
        .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
        .map((name) => path.join(folder, name));
    }),
  );
  return [...files, ...inFolders.flat().sort()];
}

/** Settings of other programs, as the docs give them. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../helpers/programs/workspace.js';

/** The first code block of this language on a page in docs/operations. */
export async function documentedSettings(page: string, language: string): Promise<string> {
  const text = await readFile(path.join(root, 'docs/operations', page), 'utf8');
  const [, settings] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text) ?? [];
  if (settings === undefined) throw new Error(`${page} has no settings for ${language}.`);
  return settings;
}

/** Replaces the addresses and files of the docs by those of a test. Each must occur. */
export function adapted(settings: string, replacements: Record<string, string>): string {
  return Object.entries(replacements).reduce((text, [documented, own]) => {
    if (!text.includes(documented)) throw new Error(`The docs no longer contain "${documented}".`);
    return text.replaceAll(documented, own);
  }, settings);
}

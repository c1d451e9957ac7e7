/** `.env.example` names every variable that the service reads, and no other one. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../server/config/config.js';
import { root } from '../helpers/workspace.js';

const reading = /\b(?:text|integer|flag|oneOf|url|bytes|list)\(\s*'([A-Z][A-Z_]+)'/g;

async function variablesRead(): Promise<string[]> {
  const folder = path.join(root, 'server/config');
  const names = await readdir(folder);
  const texts = await Promise.all(
    names
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  const found = texts.flatMap((text) => [...text.matchAll(reading)].map((match) => match[1] ?? ''));
  return [...new Set(found)].sort();
}

test('what is read stands in .env.example, commented out', async () => {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const shown = [...example.matchAll(/^#([A-Z][A-Z_]+)=/gm)].map((match) => match[1] ?? '');
  expect(shown.sort()).toEqual(await variablesRead());
  expect(shown).toContain('DATABASE_URL');
});

test('the defaults that it shows are the defaults', async () => {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const shown = Object.fromEntries(
    [...example.matchAll(/^#(PORT|HOST|[A-Z_]+_MS|DATABASE_POOL_SIZE|LOG_LEVEL)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  expect(Object.keys(shown).length).toBeGreaterThan(4);
  expect(loadConfig(shown)).toEqual(loadConfig({}));
});

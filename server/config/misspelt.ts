/** Finds variables whose names are nearly those of a setting: nobody reads them, and the setting keeps its default. */
import { editDistance } from '../lib/text/edit-distance.js';
import type { Environment } from './environment.js';

export interface Misspelling {
  name: string;
  meant: string;
}

/** A shorter name differs from many words by a letter or two. */
const lettersPerMistake = 4;
const maxMistakes = 2;

export function findMisspellings(
  environment: Environment,
  settings: ReadonlySet<string>,
): Misspelling[] {
  const missing = [...settings].filter((name) => environment[name] === undefined);
  return Object.keys(environment).flatMap((name) => {
    // OPENAI_API_KEY_2 is another variable on purpose.
    if (settings.has(name) || /\d/.test(name)) return [];
    const meant = missing.find((setting) => isMisspelt(name, setting));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isMisspelt(name: string, setting: string): boolean {
  const allowed = Math.min(maxMistakes, Math.floor(setting.length / lettersPerMistake));
  return editDistance(name.toUpperCase(), setting, allowed) <= allowed;
}

/** Finds variables whose names are close to that of a setting. Such a variable has no effect, and the setting keeps its default. */
import { editDistance } from '../lib/text/edit-distance.js';
import type { Environment } from './environment.js';

export interface Misspelling {
  name: string;
  meant: string;
}

/** Limits false matches: a short name differs from many words by only a letter or two. */
const lettersPerMistake = 4;
const maxMistakes = 2;

export function findMisspellings(
  environment: Environment,
  settings: ReadonlySet<string>,
): Misspelling[] {
  const missing = [...settings].filter((name) => environment[name] === undefined);
  return Object.keys(environment).flatMap((name) => {
    // A name with a digit, such as OPENAI_API_KEY_2, is deliberately different.
    if (settings.has(name) || /\d/.test(name)) return [];
    const meant = missing.find((setting) => isMisspelt(name, setting));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function isMisspelt(name: string, setting: string): boolean {
  const allowed = Math.min(maxMistakes, Math.floor(setting.length / lettersPerMistake));
  return editDistance(name.toUpperCase(), setting, allowed) <= allowed;
}

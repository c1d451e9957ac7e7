/** Creates the completion script of a commander program for each shell. */
import type { Command } from 'commander';
import { bashCompletion } from './bash.js';
import { commandTree } from './command-tree.js';
import { fishCompletion } from './fish.js';
import { zshCompletion } from './zsh.js';

const scripts = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

export const completedShells = [...scripts.keys()];

/** Empty for an unknown shell. `connectionFlags` are passed on to the command that prints agent names. */
export function completionScript(
  shell: string,
  program: Command,
  connectionFlags: readonly string[],
): string {
  return scripts.get(shell)?.(program.name(), commandTree(program), connectionFlags) ?? '';
}

/** The completion script of each shell, for a commander program. */
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

/** Empty for another shell. `connectionFlags` are the options that the names of agents depend on. */
export function completionScript(
  shell: string,
  program: Command,
  connectionFlags: readonly string[],
): string {
  return scripts.get(shell)?.(program.name(), commandTree(program), connectionFlags) ?? '';
}

/** The hidden command that prints agent names for shell completion. */
import type { Command } from 'commander';
import { pageSize } from '../../src/generated/service.js';
import type { Context, Runner } from '../context.js';

export function defineAgentNames(command: Command, run: Runner): void {
  command.action(run(printAgentNames));
}

/** The user is waiting at the prompt, so names that take longer are left out. */
const namesTimeoutMs = 3_000;

/**
 * Shells expand suggestions, and bash would execute `$(…)` in them, so only valid agent names are printed, whatever the
 * service sends. Errors are not printed, since they would appear in the command that is being typed.
 */
async function printAgentNames({ client, terminal }: Context): Promise<void> {
  const names: string[] = [];
  try {
    const { agents } = await client();
    const signal = AbortSignal.timeout(namesTimeoutMs);
    const options = { signal, maxRetries: 0 };
    for await (const { name } of agents.list({ sort: 'name', limit: pageSize }, options)) {
      if (/^[a-z][a-z0-9-]{0,62}$/.test(name)) names.push(name);
    }
  } catch {
    // Print the names that have been read so far.
  }
  terminal.print(...names);
}

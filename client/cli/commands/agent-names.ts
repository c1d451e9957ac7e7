/** The hidden command that prints the names of agents, for the completion of a shell. */
import type { Command } from 'commander';
import { pageSize } from '../../src/generated/service.js';
import type { Context, Runner } from '../context.js';

export function defineAgentNames(command: Command, run: Runner): void {
  command.action(run(printAgentNames));
}

/** A shell waits for the names while somebody types, so they come soon or not at all. */
const namesTimeoutMs = 3_000;

/**
 * Shells expand what they are suggested, and bash would execute `$(…)` in it: nothing but what the contract calls a name
 * is printed, whatever the service sends. Errors are not: they would end up between what is typed.
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
    // Those that were read until then are better than none.
  }
  terminal.print(...names);
}

/** `agent-hosting memory`: searches and clears the memory of an agent. */
import type { Command } from 'commander';
import type { MemoryMatch } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { parsePositiveInteger } from '../option-parsers.js';
import { confirm } from '../prompt.js';
import { type Column, timeColumn } from '../table.js';
import { plural } from '../text.js';

const columns: Column<MemoryMatch>[] = [
  { title: 'score', value: ({ score }) => score.toFixed(2) },
  { title: 'who', value: ({ role }) => role },
  { title: 'said', value: ({ content }) => content },
  timeColumn('when', ({ created_at }) => created_at),
];

interface SearchOptions {
  user?: string;
  session?: string;
  limit: number;
}

export function addMemoryCommands(memory: Command, run: Runner): void {
  memory
    .command('search')
    .description('find messages of earlier invocations, best match first')
    .argument('<agent>', 'its name or id')
    .argument('<words...>', 'the query; misspelt and inflected forms match too')
    .option('--user <id>', 'only the messages of this user')
    .option('--session <id>', 'only the messages of this session')
    .option('--limit <number>', 'how many at most', parsePositiveInteger, 10)
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting memory search support-bot refund --user user-2041',
    )
    .action(run(search));

  memory
    .command('clear')
    .description('delete the memory of all users and sessions; this cannot be undone')
    .argument('<agent>', 'its name or id')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  agent-hosting memory clear support-bot --yes')
    .action(run(clear));
}

async function search(
  { client, withSpinner, output }: Context,
  { user, session, limit }: SearchOptions,
  agent = '',
  ...words: string[]
): Promise<void> {
  const filter = {
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
  };
  const body = {
    query: words.join(' '),
    limit,
    ...(Object.keys(filter).length > 0 && { filter }),
  };
  const { memory: api } = await client();
  const { data } = await withSpinner('Searching', api.search(agent, body));
  output.list(data, columns);
}

async function clear(context: Context, { yes }: { yes?: boolean }, agent = ''): Promise<void> {
  const { memory: api } = await context.client();
  await confirm(context.terminal, `Clear the whole memory of ${agent}?`, yes);
  const clearing = await context.withSpinner('Clearing', api.clear(agent));
  const entries = plural(clearing.cleared, 'entry', 'entries');
  context.output.result(`Cleared ${entries} of ${agent}.`, clearing);
}

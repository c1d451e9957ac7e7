/** `agent-hosting memory`: search what an agent remembers, and make it forget. */
import type { Command } from 'commander';
import type { MemoryMatch } from '../../src/index.js';
import { confirm } from '../ask.js';
import type { Context, Runner } from '../context.js';
import { count } from '../numbers.js';
import type { Column } from '../table.js';
import { plural } from '../text.js';
import { distance, seconds } from '../time.js';

const columns: Column<MemoryMatch>[] = [
  { title: 'score', value: ({ score }) => score.toFixed(2) },
  { title: 'who', value: ({ role }) => role },
  { title: 'said', value: ({ content }) => content },
  {
    title: 'when',
    value: ({ created_at }) => seconds(created_at),
    brief: ({ created_at }) => distance(created_at),
  },
];

interface SearchOptions {
  user?: string;
  session?: string;
  limit: number;
}

export function addMemoryCommands(program: Command, run: Runner): void {
  const memory = program
    .command('memory')
    .description('search what an agent remembers, or clear it');

  memory
    .command('search')
    .description('find what was said in earlier invocations, best match first')
    .argument('<agent>', 'its name or id')
    .argument('<words...>', 'what to look for; misspelt and inflected forms match too')
    .option('--user <id>', 'only what this person said or heard')
    .option('--session <id>', 'only what was said in this conversation')
    .option('--limit <number>', 'how many at most', count, 10)
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting memory search support-bot refund --user user-2041',
    )
    .action(run(search));

  memory
    .command('clear')
    .description('forget everything, of all users and sessions; this cannot be undone')
    .argument('<agent>', 'its name or id')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  agent-hosting memory clear support-bot --yes')
    .action(run(clear));
}

async function search(
  { client, wait, output }: Context,
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
  const { data } = await wait('Searching', api.search(agent, body));
  output.list(data, columns);
}

async function clear(context: Context, { yes }: { yes?: boolean }, agent = ''): Promise<void> {
  const { memory: api } = await context.client();
  await confirm(context.terminal, `Make ${agent} forget everything?`, yes);
  const clearing = await context.wait('Clearing', api.clear(agent));
  const amount = plural(clearing.cleared, 'entry', 'entries');
  context.output.done(`${agent} forgot ${amount}.`, clearing);
}

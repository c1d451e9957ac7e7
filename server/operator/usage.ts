/** `operator usage`: shows the usage of agents and its cost. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Column } from '../../client/cli/table.js';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { getAgent, listAgents } from '../agents/agents.js';
import type { Caller } from '../accounts/caller.js';
import { readCosts, type UsageRequest, type UsageRow } from '../metrics/costs.js';
import type { TimeRange } from '../lib/time/time-buckets.js';
import { currentTime } from '../lib/time/clock.js';
import type { Database } from '../postgres/database.js';
import type { Run } from './context.js';
import { CommandFailure } from './failure.js';
import { loadPrices } from './prices.js';

const dayMs = 86_400_000;
const defaultDays = 30;

interface UsageOptions {
  agent?: string;
  from?: number;
  to?: number;
  by?: NonNullable<UsageRequest['by']>;
}

export function addUsageCommand(operator: Command, run: Run): void {
  operator
    .command('usage')
    .description(
      'show what the agents of the account used, and its cost at the prices in PRICES_FILE',
    )
    .option('--agent <agent>', 'only this agent, by its id or name')
    .option(
      '--from <day>',
      `the first day, in UTC (default: ${defaultDays} days up to --to)`,
      parseDay,
    )
    .option('--to <day>', 'the last day, in UTC (default: today)', parseDay)
    .addOption(
      new Option('--by <what>', 'sum up by agent or by day (default: both)').choices([
        'agent',
        'day',
      ]),
    )
    .action(({ agent, by, ...days }: UsageOptions) =>
      run(async ({ config: { pricesFile }, database, reader, output }) => {
        const priceOf = pricesFile === undefined ? undefined : await loadPrices(pricesFile);
        const range = rangeOf(days);
        const caller = await reader();
        const agents = await agentNames(database, caller, agent);
        const query = { accountId: caller.accountId, agents, by, range };
        const rows = await readCosts(database, query, priceOf ?? (() => undefined));
        output.table(rows, columnsOf(rows, query, priceOf !== undefined), (row) => ({
          ...(by === 'agent' ? {} : { day: row.day }),
          ...(by === 'day' ? {} : { agent: row.agent }),
          invocations: row.invocations,
          failures: row.failures,
          tokens: row.tokens,
          cost: priceOf ? rounded(row.cost) : null,
          unpriced_tokens: row.unpricedTokens,
        }));
      }),
    );
}

/** By id. Without a reference, those of all agents of the account. */
async function agentNames(
  database: Database,
  caller: Caller,
  reference: string | undefined,
): Promise<Map<string, string>> {
  if (reference !== undefined) {
    const { id, name } = await getAgent(database, caller, reference);
    return new Map([[id, name]]);
  }
  const all = { status: undefined, name: undefined, sort: 'name', offset: 0 } as const;
  const { items } = await listAgents(database, caller, { ...all, limit: 1_000_000 });
  return new Map(items.map(({ id, name }) => [id, name]));
}

function columnsOf(
  rows: readonly UsageRow[],
  { by }: Pick<UsageRequest, 'by'>,
  hasPrices: boolean,
): Column<UsageRow>[] {
  const hasUnpriced = rows.some(({ unpricedTokens }) => unpricedTokens > 0);
  return [
    ...(by === 'agent' ? [] : [{ title: 'day', value: ({ day = '' }: UsageRow) => day }]),
    ...(by === 'day' ? [] : [{ title: 'agent', value: ({ agent = '' }: UsageRow) => agent }]),
    { title: 'invocations', value: ({ invocations }) => String(invocations) },
    { title: 'failures', value: ({ failures }) => String(failures) },
    { title: 'tokens', value: ({ tokens }) => String(tokens) },
    ...(hasPrices
      ? [{ title: 'cost', value: ({ cost }: UsageRow) => rounded(cost).toFixed(4) }]
      : []),
    ...(hasPrices && hasUnpriced
      ? [{ title: 'without price', value: (row: UsageRow) => String(row.unpricedTokens) }]
      : []),
  ];
}

function rounded(cost: number): number {
  return Math.round(cost * 1e6) / 1e6;
}

function rangeOf({ from, to }: Pick<UsageOptions, 'from' | 'to'>): TimeRange {
  const last = to ?? Math.floor(currentTime() / dayMs) * dayMs;
  const first = from ?? last - (defaultDays - 1) * dayMs;
  if (first > last) throw new CommandFailure('--from must not be after --to.', [], exitCodes.usage);
  return { from: first, to: last + dayMs };
}

function parseDay(text: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(text)) return day;
  throw new InvalidArgumentError('Use a day such as 2026-11-02.');
}

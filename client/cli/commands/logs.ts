/** `agent-hosting logs`: what an agent did, and what it does. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { AgentHosting, GetLogsQuery, LogEntry, LogLevel } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { taken } from '../lists.js';
import { count } from '../numbers.js';
import type { Style } from '../terminal.js';
import { oneLine, padded } from '../text.js';
import { moment } from '../time.js';

interface LogOptions {
  level?: LogLevel;
  since?: string;
  until?: string;
  request?: string;
  limit: number;
  follow?: boolean;
}

const styles: Record<LogLevel, Style> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
};

/** How often to look for what is new, and how far back: an entry is stored when its invocation ends, with earlier times. */
const pollEveryMs = 1_000;
const lookBackMs = 120_000;

export function addLogCommand(program: Command, run: Runner): void {
  program
    .command('logs')
    .description('show what an agent did, oldest first')
    .argument('<agent>', 'its name or id')
    .option('--level <level>', 'only entries of this level: debug, info, warn, error')
    .option('--since <time>', 'from this time on, or from so long ago: 90m', moment)
    .option('--until <time>', 'up to this time', moment)
    .option('--request <id>', 'only what this request caused')
    .option('--limit <number>', 'how many at most, the latest', count, 100)
    .option('-f, --follow', 'go on with what comes, until Ctrl-C')
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting logs support-bot --level error --since 24h --follow',
    )
    .action(
      run(async (context, options: LogOptions, agent = '') => {
        const client = await context.client();
        const { level, since, until, request, limit } = options;
        const filters: GetLogsQuery = {
          ...(level && { level }),
          ...(request && { request_id: request }),
        };
        const range = { ...(since && { start_time: since }), ...(until && { end_time: until }) };
        const pages = client.logs.list(agent, { ...filters, ...range });
        const latest = await context.wait('Reading logs', taken(pages, limit));
        for (const entry of latest.reverse()) print(context, entry);
        if (!options.follow) return;
        // What lies before the first entry shown was left out on purpose.
        const begin = latest.length < limit ? since : latest[0]?.timestamp;
        await follow(context, client, agent, filters, { shown: latest, begin: begin ?? '' });
      }),
    );
}

async function follow(
  context: Context,
  client: AgentHosting,
  agent: string,
  filters: GetLogsQuery,
  { shown, begin }: { shown: LogEntry[]; begin: string },
): Promise<void> {
  const signal = context.interruptible();
  let seen = new Set(shown.map(({ id }) => id));
  while (!signal.aborted) {
    const start_time = new Date(Date.now() - lookBackMs).toISOString();
    const pages = client.logs.list(agent, { ...filters, start_time }, { signal });
    const recent = await taken(pages, Infinity);
    const fresh = recent.filter(({ id, timestamp }) => !seen.has(id) && timestamp >= begin);
    for (const entry of fresh.reverse()) print(context, entry);
    seen = new Set(recent.map(({ id }) => id));
    await delay(pollEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

function print({ output, terminal }: Context, entry: LogEntry): void {
  const { timestamp, level, message, metadata } = entry;
  const { request_id, ...more } = metadata;
  const extras = Object.entries(more).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const text = [
    terminal.paint('dim', timestamp),
    terminal.paint(styles[level], padded(level, 5)),
    oneLine(message),
    terminal.paint('dim', oneLine([request_id, ...extras].join(' '))),
  ];
  output.line(text.join('  '), entry);
}

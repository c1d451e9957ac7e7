/** `agent-hosting logs`: what an agent did, and what it does. */
import { type Command, Option } from 'commander';
import type { GetLogsQuery, LogEntry, LogLevel } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { createLogReader, followLogs } from '../follow.js';
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

export function addLogCommand(program: Command, run: Runner): void {
  program
    .command('logs')
    .description('show what an agent did, oldest first')
    .argument('<agent>', 'its name or id')
    .addOption(
      new Option('--level <level>', 'only entries of this level').choices(Object.keys(styles)),
    )
    .option('--since <time>', 'from this time on, or from so long ago: 90m', moment)
    .addOption(new Option('--until <time>', 'up to this time').argParser(moment))
    .option('--request <id>', 'only what this request caused')
    .option('--limit <number>', 'how many at most, the latest', count, 100)
    .addOption(new Option('-f, --follow', 'go on with what comes, until Ctrl-C').conflicts('until'))
    .addHelpText(
      'after',
      `
With --json each entry is one line.

Examples:
  agent-hosting logs support-bot --level error --since 24h
  agent-hosting logs support-bot --follow --json | jq -r .message`,
    )
    .action(run(showLogs));
}

async function showLogs(context: Context, options: LogOptions, agent = ''): Promise<void> {
  const { logs } = await context.client();
  const { level, since, until, request, limit, follow = false } = options;
  const filters: GetLogsQuery = {
    ...(level && { level }),
    ...(request && { request_id: request }),
    ...(since && { start_time: since }),
    ...(until && { end_time: until }),
  };
  const reader = createLogReader((query, signal) =>
    logs.list(agent, { ...filters, ...query }, { signal }),
  );
  const latest = await context.wait('Reading logs', reader.latest(limit, follow));
  for (const entry of latest) print(context, entry);
  if (follow)
    await followLogs(context, reader, (entry) => {
      print(context, entry);
    });
}

function print({ output, terminal }: Context, entry: LogEntry): void {
  const { timestamp, level, message, metadata } = entry;
  const { request_id, ...more } = metadata;
  const extras = Object.entries(more).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const text = [
    terminal.paint('dim', oneLine(timestamp)),
    terminal.paint(styles[level], padded(oneLine(level), 5)),
    oneLine(message),
    terminal.paint('dim', oneLine([request_id, ...extras].join(' '))),
  ];
  output.line(text.join('  '), entry);
}

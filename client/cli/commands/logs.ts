/** `agent-hosting logs`: prints the log of an agent, and follows it. */
import { type Command, Option } from 'commander';
import type { GetLogsQuery, LogEntry, LogLevel } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { createLogReader, followLogs } from '../log-follower.js';
import { logLevels } from '../log-levels.js';
import { parsePositiveInteger } from '../option-parsers.js';
import type { Line, Style } from '../terminal.js';
import { oneLine, padToWidth } from '../text.js';
import { parseTime } from '../time.js';

interface LogOptions {
  level?: LogLevel;
  since?: string;
  until?: string;
  request?: string;
  environment?: string;
  limit: number;
  follow?: boolean;
}

const styles: Record<LogLevel, Style> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
};

export function defineLogs(command: Command, run: Runner): void {
  command
    .argument('<agent>', 'its name or id')
    .addOption(
      new Option('--level <level>', 'only entries of this level and above').choices(logLevels),
    )
    .option('--since <time>', 'the start: a time, or how long ago, such as 90m', parseTime)
    .addOption(
      new Option('--until <time>', 'the end: a time, or how long ago').argParser(parseTime),
    )
    .option('--request <id>', 'only the entries of this request')
    .option('--environment <name>', 'only what invocations did in this environment')
    .option(
      '--limit <number>',
      'how many at most; the latest are printed',
      parsePositiveInteger,
      100,
    )
    .addOption(
      new Option('-f, --follow', 'print new entries as they arrive, until Ctrl-C').conflicts(
        'until',
      ),
    )
    .addHelpText(
      'after',
      `
With --json each entry is one line.

Examples:
  agent-hosting logs support-bot --level warn --since 24h
  agent-hosting logs support-bot --follow --json | jq -r .message`,
    )
    .action(run(printLogs));
}

async function printLogs(context: Context, options: LogOptions, agent = ''): Promise<void> {
  const { logs } = await context.client();
  const { level, since, until, request, environment, limit, follow = false } = options;
  const filters: GetLogsQuery = {
    ...(request && { request_id: request }),
    ...(environment && { environment }),
    ...(since && { start_time: since }),
    ...(until && { end_time: until }),
  };
  const reader = createLogReader(
    (query, signal) => logs.list(agent, { ...filters, ...query }, { signal }),
    level,
  );
  const latest = await context.withSpinner('Reading logs', reader.readLatest(limit, follow));
  const print = (entry: LogEntry) => {
    printEntry(context, entry);
  };
  latest.forEach(print);
  if (follow) await followLogs(context, reader, print);
}

function printEntry({ output }: Context, entry: LogEntry): void {
  const { timestamp, level, message, metadata } = entry;
  const { request_id, ...rest } = metadata;
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const line: Line = [
    { style: 'dim', text: timestamp },
    '  ',
    { style: styles[level], text: padToWidth(level, 5) },
    `  ${oneLine(message)}  `,
    { style: 'dim', text: [request_id, ...fields].join(' ') },
  ];
  output.line(line, entry);
}

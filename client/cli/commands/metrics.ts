/** `agent-hosting metrics`: prints a metric of an agent, a line for each step. */
import { type Command, Option } from 'commander';
import { granularities } from '../../src/generated/service.js';
import type { GetMetricsQuery, Granularity, MetricName, MetricSeries } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { type Column, formatTable } from '../table.js';
import type { Line } from '../terminal.js';
import { formatTimestamp, parseTime } from '../time.js';

const titles: Record<MetricName, string> = {
  response_time: 'Mean response time',
  throughput: 'Invocations per minute',
  error_rate: 'Share of failed invocations',
  token_usage: 'Tokens used',
};

const units: Record<MetricSeries['values'][number]['unit'], string> = {
  ms: ' ms',
  requests_per_minute: '/min',
  percent: ' %',
  tokens: ' tokens',
};

interface MetricOptions {
  metric: MetricName;
  since?: string;
  until?: string;
  granularity: Granularity;
  environment?: string;
}

export function defineMetrics(command: Command, run: Runner): void {
  command
    .argument('<agent>', 'its name or id')
    .addOption(
      new Option('--metric <name>', 'which metric')
        .choices(Object.keys(titles))
        .default('response_time'),
    )
    .option('--since <time>', 'the start: a time, or how long ago (default: 24h)', parseTime)
    .option('--until <time>', 'the end: a time, or how long ago', parseTime)
    .addOption(
      new Option('--granularity <length>', 'the length of a step')
        .choices(granularities)
        .default('1h'),
    )
    .option('--environment <name>', 'only invocations in this environment')
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting metrics support-bot --metric error_rate --since 7d
  agent-hosting metrics support-bot --metric token_usage --since 30d --granularity 1d
  agent-hosting metrics support-bot --since 2h --granularity 1m
  agent-hosting metrics support-bot --json | jq '.values[] | .value'`,
    )
    .action(run(printMetric));
}

async function printMetric(context: Context, options: MetricOptions, agent = ''): Promise<void> {
  const { metric, since, until, granularity, environment } = options;
  const query: GetMetricsQuery = {
    metric,
    granularity,
    ...(environment && { environment }),
    ...(since && { start_time: since }),
    ...(until && { end_time: until }),
  };
  const { metrics: api } = await context.client();
  const series = await context.withSpinner('Reading metrics', api.get(agent, query));
  print(context, series);
}

const columns: Column<MetricSeries['values'][number]>[] = [
  { title: 'time', value: ({ timestamp }) => formatTimestamp(timestamp), neverTruncate: true },
  { title: 'value', value: ({ value }) => formatNumber(value), neverTruncate: true },
];

function print({ output, terminal }: Context, series: MetricSeries): void {
  const { metric, values } = series;
  const latest = values.at(-1);
  if (!latest) {
    output.result('There are no measurements in this time range.', series);
    return;
  }
  const highest = Math.max(...values.map(({ value }) => value));
  const unit = units[latest.unit];
  const summary = `latest ${formatNumber(latest.value)}${unit}, highest ${formatNumber(highest)}${unit}`;
  const lines: Line[] = [
    [{ style: 'bold', text: titles[metric] }],
    summary,
    '',
    ...formatTable(values, columns, terminal.columns),
  ];
  output.result(lines, series);
}

function formatNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

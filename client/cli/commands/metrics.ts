/** `agent-hosting metrics`: how fast, how often and how well an agent answers, as a chart. */
import { type Command, Option } from 'commander';
import type { GetMetricsQuery, Granularity, MetricName, MetricSeries } from '../../src/index.js';
import { drawChart, label } from '../chart.js';
import type { Context, Runner } from '../context.js';
import { duration, moment } from '../time.js';

const metrics: Record<MetricName, string> = {
  response_time: 'Mean response time',
  throughput: 'Invocations per minute',
  error_rate: 'Share of failed invocations',
};

const units: Record<MetricSeries['values'][number]['unit'], string> = {
  ms: ' ms',
  requests_per_minute: '/min',
  percent: ' %',
};

const granularities: Granularity[] = ['1m', '5m', '1h', '1d'];

interface MetricOptions {
  metric: MetricName;
  since?: string;
  until?: string;
  granularity: Granularity;
}

export function addMetricCommand(program: Command, run: Runner): void {
  program
    .command('metrics')
    .description('draw a metric of an agent over time')
    .argument('<agent>', 'its name or id')
    .addOption(
      new Option('--metric <name>', 'which one')
        .choices(Object.keys(metrics))
        .default('response_time'),
    )
    .option('--since <time>', 'from this time on, or from so long ago (default: 24h)', moment)
    .option('--until <time>', 'up to this time', moment)
    .addOption(
      new Option('--granularity <length>', 'how long each step is')
        .choices(granularities)
        .default('1h'),
    )
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting metrics support-bot --metric error_rate --since 7d
  agent-hosting metrics support-bot --since 2h --granularity 1m
  agent-hosting metrics support-bot --json | jq '.values[] | .value'`,
    )
    .action(run(showMetric));
}

async function showMetric(context: Context, options: MetricOptions, agent = ''): Promise<void> {
  const { metric, since, until, granularity } = options;
  const query: GetMetricsQuery = {
    metric,
    granularity,
    ...(since && { start_time: since }),
    ...(until && { end_time: until }),
  };
  const { metrics: api } = await context.client();
  const series = await context.wait('Reading metrics', api.get(agent, query));
  draw(context, series, duration(granularity));
}

function draw({ output, terminal }: Context, series: MetricSeries, stepMs: number): void {
  const { metric, values } = series;
  const latest = values.at(-1);
  if (!latest) {
    output.done('Nothing was measured in this time.', series);
    return;
  }
  const highest = Math.max(...values.map(({ value }) => value));
  const unit = units[latest.unit];
  const facts = `latest ${label(latest.value)}${unit}, highest ${label(highest)}${unit}`;
  const lines = [
    terminal.paint('bold', metrics[metric]),
    facts,
    '',
    ...drawChart(values, stepMs, Math.min(terminal.columns ?? 80, 120)),
  ];
  output.done(lines.join('\n'), series);
}

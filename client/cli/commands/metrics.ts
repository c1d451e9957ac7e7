/** `agent-hosting metrics`: how fast, how often and how well an agent answers, as a chart. */
import { type Command, Option } from 'commander';
import type { GetMetricsQuery, Granularity, MetricName, MetricSeries } from '../../src/index.js';
import { drawChart, label } from '../chart.js';
import type { Context, Runner } from '../context.js';
import { moment } from '../time.js';

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

interface MetricOptions {
  metric: MetricName;
  since?: string;
  until?: string;
  granularity?: Granularity;
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
    .option('--granularity <length>', 'how long each step is: 1m, 5m, 1h or 1d')
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting metrics support-bot --metric error_rate --since 7d',
    )
    .action(
      run(async (context, options: MetricOptions, agent = '') => {
        const { metric, since, until, granularity } = options;
        const query: GetMetricsQuery = {
          metric,
          ...(since && { start_time: since }),
          ...(until && { end_time: until }),
          ...(granularity && { granularity }),
        };
        const { metrics: api } = await context.client();
        const series = await context.wait('Reading metrics', api.get(agent, query));
        show(context, series);
      }),
    );
}

function show({ output, terminal }: Context, series: MetricSeries): void {
  const { metric, values } = series;
  const [first] = values;
  if (!first) {
    output.done('Nothing was measured in this time.', series);
    return;
  }
  const numbers = values.map(({ value }) => value);
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const unit = units[first.unit];
  const facts = `mean ${label(mean)}${unit}, highest ${label(Math.max(...numbers))}${unit}`;
  const lines = [
    `${terminal.paint('bold', metrics[metric])}: ${facts}`,
    '',
    ...drawChart(values, Math.min(terminal.columns ?? 80, 120)),
  ];
  output.done(lines.join('\n'), series);
}

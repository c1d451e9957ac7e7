/** The dashboard and the alerts: each query selects existing series, and each alert is documented. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { inProject } from '../../scripts/lib/project.js';
import { useFixture } from '../helpers/service/fixture.js';
import { type Exposition, scrape } from '../helpers/text/prometheus.js';
import { parseQuery, type Selector } from './promql.js';
import { runPromtool, testWithPromtool } from './promtool.js';
import { useService } from '../helpers/service/service.js';

const token = 'a-token-for-metrics-4711';
const service = useService({ METRICS_TOKEN: token });
const exposition = useFixture(() => scrape(service.url, { token }));

interface Alert {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

interface Dashboard {
  uid: string;
  panels: {
    type: string;
    title: string;
    gridPos: { x: number; w: number };
    targets?: { expr: string; legendFormat: string }[];
  }[];
  templating: { list: { name: string; query: string }[] };
}

const files = {
  alerts: inProject('deploy/prometheus/alerts.yaml'),
  config: inProject('deploy/prometheus/prometheus.yaml'),
  dashboard: inProject('deploy/grafana/agent-hosting.json'),
  alertDocs: inProject('docs/operations/alerts.md'),
};

const { groups } = parse(await readFile(files.alerts, 'utf8')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(await readFile(files.dashboard, 'utf8')) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const alertDocs = await readFile(files.alertDocs, 'utf8');

/** The labels that Prometheus itself adds. */
const added = ['instance', 'job', 'le'];

function problemWith({ name, matchers }: Selector, found: Exposition): string | undefined {
  if (name === 'up') return undefined;
  const samples = found.select(name);
  if (samples.length === 0) return `there is no ${name}`;
  for (const { label, operator, value } of matchers) {
    if (added.includes(label)) continue;
    const values = new Set(samples.map(({ labels }) => labels[label]));
    if (values.has(undefined)) return `${name} has no label ${label}`;
    const wanted = operator === '=' || operator === '!=' ? [value] : value.split('|');
    const isThere = (one: string) =>
      [...values].some((own = '') => new RegExp(`^(?:${one})$`).test(own));
    const missing = wanted.filter((one) => !isThere(one));
    if (missing.length > 0) return `${name} has no ${label} ${missing.join(', ')}`;
  }
  return undefined;
}

function problemsOf(text: string): string[] {
  const { selectors, grouping } = parseQuery(text);
  expect(selectors.length).toBeGreaterThan(0);
  const labels = new Set(
    selectors.flatMap(({ name }) =>
      exposition.select(name).flatMap((sample) => Object.keys(sample.labels)),
    ),
  );
  return [
    ...selectors.flatMap((selector) => problemWith(selector, exposition) ?? []),
    ...grouping.filter((label) => !labels.has(label) && !added.includes(label)),
  ];
}

describe('each alert', () => {
  test.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s selects existing series, and says what to do',
    (name, { expr, annotations, labels }) => {
      expect(problemsOf(expr)).toEqual([]);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/^[A-Z].{5,60}$/);
      expect(annotations.description.length).toBeGreaterThan(20);
      expect(annotations.runbook_url).toBe(`docs/operations/alerts.md#${name.toLowerCase()}`);
      expect(alertDocs).toContain(`\n### ${name}\n`);
    },
  );

  test('is explained if there is one, and nothing else is', () => {
    const explained = [...alertDocs.matchAll(/^### (AgentHosting\w+)$/gm)].map(([, name]) => name);
    expect(explained.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });
});

describe('the dashboard', () => {
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => [`${title}: ${legendFormat}`, expr] as const),
  );

  test.each(queries)('%s selects existing series', (_name, expr) => {
    expect(problemsOf(expr)).toEqual([]);
  });

  test('shows every metric of the service', () => {
    const used = queries.map(([, expr]) => expr).join('\n');
    const shown = [...exposition.families.values()]
      .map(({ name }) => name)
      .filter((name) => name.startsWith('agent_hosting_') && !used.includes(name));
    expect(shown).toEqual([
      'agent_hosting_tool_call_duration_seconds',
      'agent_hosting_delivery_attempt_duration_seconds',
      'agent_hosting_event_loop_utilization_ratio',
    ]);
  });

  test('has panels that fit next to each other', () => {
    expect(panels.length).toBeGreaterThan(10);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});

test('the Prometheus configuration scrapes what .env.example names, and loads the alerts', async () => {
  const config = parse(await readFile(files.config, 'utf8')) as {
    rule_files: string[];
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
  };
  const [, port = ''] =
    /^#METRICS_PORT=(\d+)$/m.exec(await readFile(inProject('.env.example'), 'utf8')) ?? [];
  expect(config.rule_files).toEqual(['alerts.yaml']);
  expect(config.scrape_configs[0]?.static_configs[0]?.targets).toEqual([`127.0.0.1:${port}`]);
});

testWithPromtool('promtool accepts the alerts', async () => {
  const { code, said } = await runPromtool(['check', 'rules', files.alerts]);
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('SUCCESS') });
});

testWithPromtool('promtool accepts the configuration', async () => {
  const { code, said } = await runPromtool(['check', 'config', files.config]);
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('SUCCESS') });
});

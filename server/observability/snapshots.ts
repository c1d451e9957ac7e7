/** The metrics of several processes as one. What processes that have ended had counted stays counted. */
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { other } from './label-slots.js';

/** All metrics of a process at one moment, in a form that can be sent to another one. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[];

/** Of one metric: each process names agents and models of its own choice, and processes come and go. */
const maxSeries = 2_000;
const boundedLabels = ['agent', 'agent_id', 'provider', 'model'];

export function mergeSnapshots(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  return registryOf(snapshots).getMetricsAsJSON();
}

export function formatSnapshots(snapshots: readonly Snapshot[]): Promise<string> {
  return registryOf(snapshots).metrics();
}

/** What remains of a process that has ended: its counters and histograms, and nothing of its state. */
export function countedIn(snapshot: Snapshot): Snapshot {
  // The library names types as words, although it declares an enumeration.
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

function registryOf(snapshots: readonly Snapshot[]) {
  const bound = createBound();
  return AggregatorRegistry.aggregate(snapshots.map((snapshot) => snapshot.map(bound)));
}

/** Values beyond the limit are added to those of "other". */
function createBound() {
  const seen = new Map<string, Set<string>>();
  return (metric: Snapshot[number]): Snapshot[number] => {
    const series = seen.get(metric.name) ?? new Set();
    seen.set(metric.name, series);
    const values = metric.values.map((value) => {
      const key = JSON.stringify(value.labels);
      if (series.has(key)) return value;
      if (series.size >= maxSeries) return { ...value, labels: withoutNames(value.labels) };
      series.add(key);
      return value;
    });
    return { ...metric, values };
  };
}

function withoutNames(labels: MetricValue<string>['labels']): MetricValue<string>['labels'] {
  const names = Object.keys(labels).filter((name) => boundedLabels.includes(name));
  return { ...labels, ...Object.fromEntries(names.map((name) => [name, other])) };
}

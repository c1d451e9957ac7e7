/**
 * Counters and histograms that cost a lookup to count with. Those of prom-client check and hash all labels each time, which
 * took a twentieth of an invocation; it still reads, merges and formats these.
 */
import type { Metric, Registry } from 'prom-client';

type Labels<Name extends string> = Readonly<Record<Name, string | number>>;

interface TallyOptions<Name extends string> {
  name: string;
  help: string;
  labelNames?: readonly Name[];
  registry: Registry;
}

interface Value {
  /** Of a part of the metric. */
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** What is counted for each combination of labels. */
abstract class Tally<Name extends string, Series extends { labels: Labels<Name> }> {
  readonly name: string;
  readonly #help: string;
  readonly #labelNames: readonly Name[];
  readonly #series = new Map<string, Series>();

  constructor({ name, help, labelNames = [], registry }: TallyOptions<Name>) {
    this.name = name;
    this.#help = help;
    this.#labelNames = labelNames;
    // A registry asks a metric for its name and its values only.
    registry.registerMetric(this as unknown as Metric);
  }

  /** Lets the series exist before there is anything to count. */
  zero(labels: Labels<Name>): void {
    this.seriesOf(labels);
  }

  protected seriesOf(labels: Labels<Name>): Series {
    let key = '';
    for (const name of this.#labelNames) key += `${labels[name]}\n`;
    const known = this.#series.get(key);
    if (known) return known;
    const created = this.create({ ...labels });
    this.#series.set(key, created);
    return created;
  }

  /** As the metrics of prom-client do. */
  get() {
    const { name, type } = this;
    const values = [...this.#series.values()].flatMap((series) => this.valuesOf(series));
    return Promise.resolve({ name, help: this.#help, type, aggregator: 'sum', values });
  }

  abstract readonly type: 'counter' | 'histogram';
  protected abstract create(labels: Labels<Name>): Series;
  protected abstract valuesOf(series: Series): Value[];
}

interface Count<Name extends string> {
  labels: Labels<Name>;
  value: number;
}

export class Counter<Name extends string> extends Tally<Name, Count<Name>> {
  readonly type = 'counter';

  inc(labels: Labels<Name>, value = 1): void {
    this.seriesOf(labels).value += value;
  }

  protected create(labels: Labels<Name>): Count<Name> {
    return { labels, value: 0 };
  }

  protected valuesOf({ labels, value }: Count<Name>): Value[] {
    return [{ labels, value }];
  }
}

interface Distribution<Name extends string> {
  labels: Labels<Name>;
  /** How many were in each bucket and in none of those before it; the last has no limit. */
  counts: number[];
  sum: number;
}

export class Histogram<Name extends string> extends Tally<Name, Distribution<Name>> {
  readonly type = 'histogram';
  readonly #buckets: readonly number[];

  constructor({ buckets, ...options }: TallyOptions<Name> & { buckets: readonly number[] }) {
    super(options);
    this.#buckets = buckets;
  }

  observe(labels: Labels<Name>, value: number): void {
    const series = this.seriesOf(labels);
    const buckets = this.#buckets;
    let index = 0;
    while (index < buckets.length && value > (buckets[index] ?? 0)) index += 1;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += value;
  }

  protected create(labels: Labels<Name>): Distribution<Name> {
    return { labels, counts: Array.from({ length: this.#buckets.length + 1 }, () => 0), sum: 0 };
  }

  protected valuesOf({ labels, counts, sum }: Distribution<Name>): Value[] {
    let total = 0;
    const bounds = [...this.#buckets, '+Inf'];
    const buckets = counts.map((count, index) => {
      total += count;
      const le = bounds[index] ?? '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: total },
    ];
  }
}

/**
 * Sends the prom-client metrics to an OpenTelemetry collector with the same names and labels, cumulative since the start of the
 * process. Imported only if OTEL_METRICS_EXPORTER enables it.
 */
import { type Attributes, diag, type HrTime, ValueType } from '@opentelemetry/api';
import { getNumberFromEnv, millisToHrTime } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';
import {
  describeProcess,
  type ProcessIdentity,
  reportFailures,
  serviceName,
  stopProvider,
  withOpenTelemetry,
} from './open-telemetry.js';

interface MetricsExportOptions {
  /** OpenTelemetry's environment variables. */
  environment: Record<string, string>;
  protocol: 'http/protobuf' | 'http/json';
}

/** Returns metrics in the format of `getMetricsAsJSON`. */
type CollectMetrics = () => Promise<MetricObjectWithValues<MetricValue<string>>[]>;

export interface MetricsExport {
  /** Sends the last values, but waits only briefly for the collector. */
  stop: () => Promise<void>;
}

export function startMetricsExport(
  { environment, protocol }: MetricsExportOptions,
  collect: CollectMetrics,
  identity: ProcessIdentity,
  log: Logger,
): MetricsExport {
  return withOpenTelemetry(environment, log, () => {
    const otlp = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
    const exporter = reportFailures(otlp, 'metrics', log);
    const exportIntervalMillis = milliseconds('OTEL_METRIC_EXPORT_INTERVAL', 60_000);
    const timeoutMs = milliseconds('OTEL_METRIC_EXPORT_TIMEOUT', 30_000);
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis,
      // The SDK rejects a timeout longer than the interval.
      exportTimeoutMillis: Math.min(timeoutMs, exportIntervalMillis),
      metricProducers: [createProducer(collect, identity)],
    });
    const provider = new MeterProvider({ resource: describeProcess(identity), readers: [reader] });
    return { stop: () => stopProvider(provider, exporter) };
  });
}

function milliseconds(variable: string, fallback: number): number {
  const value = getNumberFromEnv(variable) ?? fallback;
  if (value > 0) return value;
  diag.warn(`${variable} must be greater than 0, not ${value}; ${fallback} is used`);
  return fallback;
}

function createProducer(collect: CollectMetrics, { version }: ProcessIdentity): MetricProducer {
  const scope = { name: serviceName, version };
  const startTime = millisToHrTime(Date.now());
  return {
    collect: async () => {
      const collected = await collect();
      const period = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = collected.flatMap((metric) => convert(metric, period) ?? []);
      return {
        resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] },
        errors: [],
      };
    },
  };
}

interface Period {
  startTime: HrTime;
  endTime: HrTime;
}

/** Undefined for a summary; the service has none. */
function convert(
  { name, help, type, values }: MetricObjectWithValues<MetricValue<string>>,
  period: Period,
): MetricData | undefined {
  const metric = {
    descriptor: { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // prom-client declares a numeric type, but uses strings.
  const kind = String(type);
  if (kind === 'histogram') {
    const dataPoints = histograms(name, values).map((point) => ({ ...period, ...point }));
    return { ...metric, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  // NaN means that the value is unknown.
  const dataPoints = values
    .filter(({ value }) => !Number.isNaN(value))
    .map(({ value, labels }) => ({ ...period, value, attributes: attributesOf(labels) }));
  if (kind === 'gauge') return { ...metric, dataPointType: DataPointType.GAUGE, dataPoints };
  if (kind !== 'counter') return undefined;
  return { ...metric, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
}

interface HistogramPoint {
  attributes: Attributes;
  value: Histogram;
}

/** For each combination of labels, prom-client lists the buckets from the lowest to infinity, then the sum and the count. */
function histograms(
  name: string,
  values: readonly (MetricValue<string> | MetricValueWithName<string>)[],
): HistogramPoint[] {
  const points: HistogramPoint[] = [];
  let boundaries: number[] = [];
  let counts: number[] = [];
  let below = 0;
  let sum = 0;
  for (const sample of values) {
    const { value } = sample;
    const { le, ...labels } = sample.labels as Record<string, string | number | undefined>;
    const part = 'metricName' in sample ? sample.metricName : name;
    if (part === `${name}_bucket`) {
      if (le !== '+Inf') boundaries.push(Number(le));
      counts.push(value - below);
      below = value;
    } else if (part === `${name}_sum`) {
      sum = value;
    } else {
      const buckets = { boundaries, counts };
      points.push({ attributes: attributesOf(labels), value: { buckets, sum, count: value } });
      [boundaries, counts, below] = [[], [], 0];
    }
  }
  return points;
}

function attributesOf(labels: object): Attributes {
  return Object.fromEntries(
    Object.entries(labels).map(([label, value]) => [label, String(value)] as const),
  );
}

/** Units in UCUM notation. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return name.endsWith('_bytes') ? 'By' : '';
}

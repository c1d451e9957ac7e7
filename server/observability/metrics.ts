/** The metrics of this process. */
import { performance } from 'node:perf_hooks';
import {
  type Aggregator,
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Registry,
} from 'prom-client';
import { logOutput } from '../lib/system/log-output.js';
import type { Database } from '../store/postgres/database.js';
import { addConnectionMetrics, addQueueMetrics, observeStatements } from './database-metrics.js';
import { createInstruments, type Instruments } from './instruments.js';

export interface Metrics {
  instruments: Instruments;
  registry: Registry;
  /** In the text format of Prometheus. */
  format: () => Promise<string>;
}

export interface MetricsOptions {
  database: Database;
  version: string;
  /** Whether this is a worker whose primary collects the metrics, and adds those that all processes share. */
  isOneOfMany: boolean;
}

export function createMetrics({ database, version, isOneOfMany }: MetricsOptions): Metrics {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  addConnectionMetrics(registry, database);
  observeStatements(instruments, database);
  addProcessMetrics(registry);
  addBuildInformation(registry, version);
  if (isOneOfMany) {
    AggregatorRegistry.setRegistries(registry);
  } else {
    addQueueMetrics(registry, database);
    addLogMetrics(registry);
    createWorkerGauge(registry)({ running: 1, responding: 1 });
  }
  return { instruments, registry, format: () => registry.metrics() };
}

/** Returns a function that sets it. */
export function createWorkerGauge(registry: Registry) {
  const gauge = new Gauge({
    name: 'agent_hosting_workers',
    help: 'Processes that serve requests. "responding" is 0 while one of them does not answer.',
    labelNames: ['state'],
    registers: [registry],
  });
  return ({ running, responding }: { running: number; responding: number }) => {
    gauge.set({ state: 'running' }, running);
    gauge.set({ state: 'responding' }, responding);
  };
}

/** Counts the lines of this process. With WORKERS that is the primary, through which the lines of all processes leave. */
export function addLogMetrics(registry: Registry): void {
  const { droppedLines } = logOutput();
  new Counter({
    name: 'agent_hosting_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, because standard output took no more.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
}

/** Gauges that end in `_total`, which the conventions of Prometheus reserve for counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * How the values of several workers become one, where prom-client would hide a process in trouble: by an average the one that is
 * blocked, by a sum the one that is near its limit of open files. The start time, which it leaves out, is that of the youngest
 * process, so that it changes whenever one is replaced.
 */
const aggregators: Record<string, Aggregator> = {
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
  process_open_fds: 'max',
  process_max_fds: 'min',
  process_start_time_seconds: 'max',
};

function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  for (const [name, aggregator] of Object.entries(aggregators)) {
    Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator });
  }
  let last = performance.eventLoopUtilization();
  new Gauge({
    name: 'agent_hosting_event_loop_utilization_ratio',
    help: 'The share of time since the last scrape in which the event loop was busy.',
    registers: [registry],
    aggregator: 'max',
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
}

function addBuildInformation(registry: Registry, version: string): void {
  new Gauge({
    name: 'agent_hosting_build_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version, node: process.version }, 1);
}

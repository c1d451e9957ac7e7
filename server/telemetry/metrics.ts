/** Creates the metrics of this process. */
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
import type { Database } from '../postgres/database.js';
import { addConnectionMetrics, addQueueMetrics, observeStatements } from './database-metrics.js';
import { createInstruments, type Instruments } from './instruments.js';

export interface Metrics {
  instruments: Instruments;
  registry: Registry;
  /** Returns the Prometheus text format. */
  format: () => Promise<string>;
}

export interface MetricsOptions {
  database: Database;
  version: string;
  /** Whether this is a cluster worker, whose primary collects the metrics and adds the shared ones. */
  isClustered: boolean;
}

export function createMetrics({ database, version, isClustered }: MetricsOptions): Metrics {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  addConnectionMetrics(registry, database);
  observeStatements(instruments, database);
  addProcessMetrics(registry);
  addBuildInformation(registry, version);
  if (isClustered) {
    AggregatorRegistry.setRegistries(registry);
  } else {
    addQueueMetrics(registry, database);
    addLogMetrics(registry);
    createWorkerGauge(registry)({ running: 1, responding: 1 });
  }
  return { instruments, registry, format: () => registry.metrics() };
}

/** Returns a function that sets the gauge. */
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

/** With WORKERS, call this in the primary, which writes the log lines of all processes. */
export function addLogMetrics(registry: Registry): void {
  const { droppedLines } = logOutput();
  new Counter({
    name: 'agent_hosting_log_lines_dropped_total',
    help: 'Log lines that were dropped because standard output was blocked.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
}

/** Gauges that end in `_total`, a suffix that Prometheus reserves for counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Aggregates the values of several workers where prom-client's defaults would hide a process in trouble: an average hides a blocked
 * process, a sum hides one near its limit of open files. The start time, which prom-client omits, is that of the youngest process, so
 * that it changes whenever a process is replaced.
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
    help: 'Share of the time since the last scrape in which the event loop was busy.',
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
    help: 'Always 1; the labels identify the running version.',
    labelNames: ['version', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version, node: process.version }, 1);
}

/** The metrics of this process, and how they are read. */
import { Gauge, Registry } from 'prom-client';
import type { Database } from '../store/database.js';
import { addConnectionMetrics, addQueueMetrics } from './database-metrics.js';
import { createInstruments, type Instruments } from './instruments.js';
import { addProcessMetrics } from './process-metrics.js';
import type { Snapshot } from './snapshots.js';

export interface Metrics {
  instruments: Instruments;
  /** In the text format of Prometheus. */
  format: () => Promise<string>;
  snapshot: () => Promise<Snapshot>;
  stop: () => void;
}

export interface MetricsOptions {
  database: Database;
  version: string;
  /** Whether another process tells what is the same for all of them. */
  isOneOfMany: boolean;
}

export function createMetrics({ database, version, isOneOfMany }: MetricsOptions): Metrics {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  addConnectionMetrics(registry, database);
  if (!isOneOfMany) {
    addQueueMetrics(registry, database);
    createWorkerGauge(registry)({ running: 1, responding: 1 });
  }
  addBuildInformation(registry, version);
  const processMetrics = addProcessMetrics(registry);
  return {
    instruments,
    format: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
    stop: processMetrics.stop,
  };
}

/** Returns what sets it. */
export function createWorkerGauge(registry: Registry) {
  const gauge = new Gauge({
    name: 'agent_hosting_workers',
    help: 'Processes that serve requests, and those of them that answer.',
    labelNames: ['state'],
    registers: [registry],
  });
  return ({ running, responding }: { running: number; responding: number }) => {
    gauge.set({ state: 'running' }, running);
    gauge.set({ state: 'responding' }, responding);
  };
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

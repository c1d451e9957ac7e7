/** What a process tells of itself: its memory, its processor time, and how long its event loop keeps work waiting. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How exactly delays are measured; also the smallest one that is seen. */
const resolutionMs = 10;

const memory = {
  process_resident_memory_bytes: ['Memory of the process, as the system counts it.', 'rss'],
  nodejs_heap_size_total_bytes: ['The heap of JavaScript.', 'heapTotal'],
  nodejs_heap_size_used_bytes: ['The part of the heap that is in use.', 'heapUsed'],
  nodejs_external_memory_bytes: [
    'Memory outside of the heap, such as that of buffers.',
    'external',
  ],
} as const;

/** The names are those that dashboards for Node.js know. Several processes together have the worst delay of any of them. */
export function addProcessMetrics(registry: Registry): { stop: () => void } {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let utilization = performance.eventLoopUtilization();

  for (const [name, [help, key]] of Object.entries(memory)) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(process.memoryUsage()[key]);
      },
    });
  }
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process, of the user and of the system.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  const delayGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'max',
      collect() {
        // In nanoseconds, with the interval of measurement itself in it.
        this.set(Math.max(0, read() / 1e6 - resolutionMs) / 1000);
      },
    });
  delayGauge(
    'nodejs_eventloop_lag_p50_seconds',
    'Delay of the event loop since the last scrape, median.',
    () => finite(delay.percentile(50)),
  );
  delayGauge(
    'nodejs_eventloop_lag_p99_seconds',
    'Delay of the event loop since the last scrape, 99 %.',
    () => finite(delay.percentile(99)),
  );
  delayGauge(
    'nodejs_eventloop_lag_max_seconds',
    'Delay of the event loop since the last scrape, longest.',
    () => {
      const longest = finite(delay.max);
      delay.reset();
      return longest;
    },
  );
  new Gauge({
    name: 'agent_hosting_event_loop_utilization_ratio',
    help: 'The share of time since the last scrape in which the event loop was busy.',
    registers,
    aggregator: 'max',
    collect() {
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, utilization).utilization);
      utilization = now;
    },
  });
  return {
    stop: () => {
      delay.disable();
    },
  };
}

/** A histogram without a measurement has no percentiles. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** Database metrics: the queues, which all processes share, and the connections and statements of one process. */
import { Gauge, type Registry } from 'prom-client';
import { withTimeLimit } from '../lib/async/time-limit.js';
import type { Database } from '../postgres/database.js';
import { measureQueues } from '../postgres/queues.sql.js';
import type { Instruments } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';

/** Scrapes within this time get cached values. */
const maxAgeMs = 5_000;
/** A database that does not answer must not delay a scrape. */
const timeoutMs = 1_500;

export function addConnectionMetrics(registry: Registry, database: Database): void {
  const registers = [registry];
  new Gauge({
    name: 'agent_hosting_database_connections',
    help: 'Connections to the database by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { inUse, idle } = database.connections();
      this.set({ state: 'in_use' }, inUse);
      this.set({ state: 'idle' }, idle);
    },
  });
  new Gauge({
    name: 'agent_hosting_database_connections_max',
    help: 'Maximum number of connections to the database.',
    registers,
    collect() {
      this.set(database.connections().max);
    },
  });
  new Gauge({
    name: 'agent_hosting_database_connections_waiting',
    help: 'Callers that wait for a connection to the database.',
    registers,
    collect() {
      this.set(database.connections().waiting);
    },
  });
}

/** Statement names are fixed in the code, except that some contain a combination of filters. */
const statementSlots = { max: 100, maxPerOwner: 100 };

export function observeStatements({ statementSeconds }: Instruments, database: Database): void {
  const labelOf = createLabelSlots(statementSlots, { statement: other });
  database.observeStatements((name = other, milliseconds) => {
    const label = labelOf('', name, () => ({ statement: name }));
    statementSeconds.observe(label, milliseconds / 1000);
  });
}

/** Unknown values are NaN, so that no alert fires by mistake; `agent_hosting_database_up` shows the reason. */
export function addQueueMetrics(registry: Registry, database: Database): void {
  const registers = [registry];
  const up = new Gauge({
    name: 'agent_hosting_database_up',
    help: 'Whether the database answers: 1 or 0.',
    registers,
    collect: () => refresh(),
  });
  const readOnly = new Gauge({
    name: 'agent_hosting_database_read_only',
    help: 'Whether the database is read-only, as a standby is: 1 or 0.',
    registers,
    collect: () => refresh(),
  });
  const depth = new Gauge({
    name: 'agent_hosting_queue_depth',
    help: 'Asynchronous invocations and due deliveries that wait in the queue, counted up to 10000.',
    labelNames: ['queue'],
    registers,
    collect: () => refresh(),
  });
  const age = new Gauge({
    name: 'agent_hosting_queue_oldest_age_seconds',
    help: 'How long the oldest entry of the queue has waited; 0 if the queue is empty.',
    labelNames: ['queue'],
    registers,
    collect: () => refresh(),
  });

  const unknown = { depth: NaN, oldestAge: NaN };
  const setQueues = (measures?: Awaited<ReturnType<typeof measureQueues>>) => {
    for (const queue of ['invocations', 'deliveries'] as const) {
      const measure = measures?.[queue] ?? unknown;
      depth.set({ queue }, measure.depth);
      age.set({ queue }, measure.oldestAge);
    }
  };
  // Creates the series even if the database does not answer the first scrape in time.
  setQueues();
  readOnly.set(NaN);
  const update = async () => {
    const [state, measures] = await Promise.all([
      database.check().catch(() => undefined),
      measureQueues(database).catch(() => undefined),
    ]);
    up.set(state ? 1 : 0);
    readOnly.set(state ? Number(state.isReadOnly) : NaN);
    setQueues(measures);
  };

  let updating: Promise<void> | undefined;
  let updatedAt = -Infinity;
  const refresh = async () => {
    if (performance.now() - updatedAt < maxAgeMs) return;
    // One query at a time, however long the database takes.
    updating ??= update().finally(() => {
      updatedAt = performance.now();
      updating = undefined;
    });
    await withTimeLimit(
      updating,
      timeoutMs,
      new Error('The database did not answer in time.'),
    ).catch(() => {
      up.set(0);
      readOnly.set(NaN);
    });
  };
}

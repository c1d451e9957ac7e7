/** Frequent reads use indexes, with thousands of rows: the service's own statements are explained. */
import { beforeAll, expect, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.js';
import type { Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { analyzeAll, explain, indexesAndScansOf } from '../helpers/database/plans.js';
import { insertAccount, insertAgent, insertWebhook } from '../helpers/database/rows.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';
import { recordStatements, type SentStatement } from '../helpers/database/statements.js';
import { insertSchedule, makeDue } from '../schedules/due-schedules.js';
import { fillAccount } from './filled-account.js';

const service = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const tenant = useTenant(service);
const agent = useAgent(tenant);

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

interface Reading {
  what: string;
  operation: OperationId;
  call?: () => Call;
  /** Small enough to be sorted. */
  sorts?: boolean;
  table: string;
  index: string;
}

const ofAgent = (call: Call = {}) => ({ path: { agent_id: agent.id }, ...call });

/** The reads of operations, with their indexes. */
const readings: Reading[] = [
  {
    what: 'agents by creation',
    operation: 'listAgents',
    table: 'agents',
    index: 'agents_account_id_created_at_id_idx',
  },
  {
    what: 'agents by change',
    operation: 'listAgents',
    call: () => ({ query: { sort: 'updated_at' } }),
    table: 'agents',
    index: 'agents_account_id_updated_at_id_idx',
  },
  {
    what: 'agents by name',
    operation: 'listAgents',
    call: () => ({ query: { sort: '-name' } }),
    table: 'agents',
    index: 'agents_account_id_name_key',
  },
  {
    what: 'one agent by name',
    operation: 'getAgent',
    call: () => ({ path: { agent_id: agent.name } }),
    table: 'agents',
    index: 'agents_account_id_name_key',
  },
  {
    what: 'the active deployment',
    operation: 'getAgent',
    call: ofAgent,
    table: 'deployments',
    index: 'deployments_active_key',
  },
  {
    what: 'the schedules of an agent',
    operation: 'getAgent',
    call: ofAgent,
    table: 'schedules',
    index: 'schedules_pkey',
  },
  {
    what: 'keys by creation',
    operation: 'listApiKeys',
    table: 'api_keys',
    index: 'api_keys_account_id_created_at_id_idx',
  },
  {
    what: 'keys by name',
    operation: 'listApiKeys',
    call: () => ({ query: { sort: 'name' } }),
    table: 'api_keys',
    index: 'api_keys_account_id_name_id_idx',
  },
  {
    what: 'deployments by creation',
    operation: 'listDeployments',
    call: ofAgent,
    table: 'deployments',
    index: 'deployments_agent_id_created_at_id_idx',
  },
  {
    what: 'deployments by version',
    operation: 'listDeployments',
    call: () => ofAgent({ query: { sort: 'version' } }),
    table: 'deployments',
    index: 'deployments_agent_id_version_id_idx',
  },
  {
    what: 'webhooks by creation',
    operation: 'listWebhooks',
    table: 'webhooks',
    index: 'webhooks_account_id_created_at_id_idx',
  },
  {
    what: 'the last delivery of a webhook',
    operation: 'listWebhooks',
    table: 'deliveries',
    index: 'deliveries_account_id_webhook_id_last_attempt_at_idx',
  },
  {
    what: 'the newest log entries',
    operation: 'getLogs',
    call: ofAgent,
    table: 'log_entries',
    index: 'log_entries_pkey',
  },
  {
    what: 'the newest errors',
    operation: 'getLogs',
    call: () => ofAgent({ query: { level: 'error' } }),
    table: 'log_entries',
    index: 'log_entries_account_id_agent_id_level_logged_at_id_idx',
  },
  {
    what: 'log entries of an hour',
    operation: 'getLogs',
    call: () => ofAgent({ query: { start_time: minutesAgo(120), end_time: minutesAgo(60) } }),
    table: 'log_entries',
    index: 'log_entries_pkey',
  },
  {
    what: 'log entries of an environment',
    operation: 'getLogs',
    call: () => ofAgent({ query: { environment: 'staging' } }),
    table: 'log_entries',
    index: 'log_entries_environment_idx',
  },
  {
    what: 'the number of log entries outside production',
    operation: 'getLogs',
    call: () => ofAgent({ query: { environment: 'production' } }),
    table: 'log_entries',
    index: 'log_entries_environment_idx',
  },
  {
    what: 'log entries of a request',
    operation: 'getLogs',
    call: () => ofAgent({ query: { request_id: 'req_00000000000000000000000007' } }),
    sorts: true,
    table: 'log_entries',
    index: 'log_entries_account_id_request_id_idx',
  },
  {
    what: 'counts per minute',
    operation: 'getMetrics',
    call: () => ofAgent({ query: { metric: 'throughput', start_time: minutesAgo(60) } }),
    sorts: true,
    table: 'usage_rollups',
    index: 'usage_rollups_pkey',
  },
  {
    what: 'the invocations of an environment',
    operation: 'getMetrics',
    call: () =>
      ofAgent({
        query: { metric: 'throughput', start_time: minutesAgo(60), environment: 'staging' },
      }),
    sorts: true,
    table: 'invocations',
    index: 'invocations_environment_idx',
  },
  {
    what: 'the invocations outside production',
    operation: 'getMetrics',
    call: () =>
      ofAgent({
        query: { metric: 'throughput', start_time: minutesAgo(60), environment: 'production' },
      }),
    sorts: true,
    table: 'invocations',
    index: 'invocations_environment_idx',
  },
  {
    what: 'the messages of a session in an environment',
    operation: 'invokeAgent',
    call: () =>
      ofAgent({
        body: { message: 'Hi', environment: 'draft', context: { session_id: 'session-7' } },
      }),
    table: 'memory_entries',
    index: 'memory_entries_environment_idx',
  },
  {
    what: 'the memory of an environment',
    operation: 'searchMemory',
    call: () => ofAgent({ body: { query: 'order', filter: { environment: 'draft' } } }),
    sorts: true,
    table: 'memory_entries',
    index: 'memory_entries_environment_idx',
  },
  {
    what: 'the messages of a session',
    operation: 'invokeAgent',
    call: () => ofAgent({ body: { message: 'Hi', context: { session_id: 'session-7' } } }),
    table: 'memory_entries',
    index: 'memory_entries_session_idx',
  },
];

interface Task {
  what: string;
  /** A text that identifies the statement. */
  statement: RegExp;
  /** Whether it is sent for each account in turn. */
  isOfAccount?: boolean;
  table: string;
  index: string;
}

/** The background reads of an instance. */
const tasks: Task[] = [
  {
    what: 'one key by its hash',
    statement: /FROM api_keys .*key_hash (=|IN) \(?\$1/,
    table: 'api_keys',
    index: 'api_keys_key_hash_key',
  },
  {
    what: 'accounts with invocations to claim',
    statement: /FROM invocations .*available_at <= now\(\) ORDER BY account_id/,
    table: 'invocations',
    index: 'invocations_queue_idx',
  },
  {
    what: 'receivers with deliveries to claim',
    statement: /FROM webhooks .*FROM deliveries .*next_attempt_at <= now\(\)/,
    table: 'deliveries',
    index: 'deliveries_due_idx',
  },
  {
    what: 'accounts with schedules that are due',
    statement: /FROM schedules s JOIN accounts .*next_at <= now\(\)/,
    table: 'schedules',
    index: 'schedules_due_idx',
  },
  {
    what: 'schedules to claim',
    statement: /FROM schedules WHERE account_id = \$1 AND next_at <= now\(\)/,
    isOfAccount: true,
    table: 'schedules',
    index: 'schedules_account_due_idx',
  },
  {
    what: 'log entries to prune',
    statement: /DELETE FROM log_entries/,
    isOfAccount: true,
    table: 'log_entries',
    index: 'log_entries_pkey',
  },
  {
    what: 'invocations to prune',
    statement: /DELETE FROM invocations/,
    isOfAccount: true,
    table: 'invocations',
    index: 'invocations_pkey',
  },
  {
    what: 'events to prune',
    statement: /DELETE FROM events/,
    isOfAccount: true,
    table: 'events',
    index: 'events_pkey',
  },
  {
    what: 'memory to prune',
    statement: /FROM memory_entries WHERE id < \$1 ORDER BY id/,
    table: 'memory_entries',
    index: 'memory_entries_id_idx',
  },
  {
    what: 'idempotency records to prune',
    statement: /DELETE FROM idempotency_records/,
    table: 'idempotency_records',
    index: 'idempotency_records_expires_at_idx',
  },
  {
    what: 'events of streams to prune',
    statement: /DELETE FROM stream_events/,
    table: 'stream_events',
    index: 'stream_events_stream_id_idx',
  },
  {
    what: 'streams to drop',
    statement: /SELECT .* FROM stream_events WHERE .*drop_at/,
    table: 'stream_events',
    index: 'stream_events_drop_at_idx',
  },
];

const ofOperations = new Map<Reading, SentStatement[]>();
let ofInstance: SentStatement[] = [];

/** Without the quotes and the schema that Prisma adds, on one line. */
const plain = ({ text }: SentStatement) =>
  text.replaceAll(/"public"\.|"/g, '').replaceAll(/\s+/g, ' ');

// Recorded with almost no rows, because only the statements matter.
beforeAll(async () => {
  await insertWebhook(service.database, tenant.accountId);
  const key = { accountId: tenant.accountId, agentId: agent.id };
  await insertSchedule(service.database, key, { nextAt: null });
  for (const reading of readings) {
    const { operation, call } = reading;
    const work = () => tenant.api.call(operation, call?.());
    ofOperations.set(reading, await recordStatements(work));
  }
  ofInstance = await recordStatements(async (sent) => {
    await makeDue(service.database, key);
    const instance = await service.another({
      WORKER: 'on',
      ASYNC_CONCURRENCY: '1',
      RETENTION_DAYS: '1',
    });
    await instance.api(tenant.key).expect('listAgents', 200);
    await eventually(() => {
      expect(tasks.filter((task) => statementOf(task, sent) === undefined)).toEqual([]);
    });
    await instance.stop();
  });
  await fillAccount(service.database, { ...tenant, agentId: agent.id }, 0);
  for (let neighbour = 1; neighbour < 10; neighbour += 1) {
    const accountId = await insertAccount(service.database);
    const agentId = await insertAgent(service.database, accountId);
    await fillAccount(service.database, { accountId, agentId }, neighbour);
  }
  await analyzeAll(service.database);
});

test.each(readings)('$operation reads $what from $index', async (reading) => {
  const { table, index, sorts = false } = reading;
  const own = (ofOperations.get(reading) ?? []).filter(
    // Without concurrent housekeeping.
    (sent) =>
      new RegExp(`(FROM|JOIN) ${table}\\b`).test(plain(sent)) && !/SKIP LOCKED/.test(sent.text),
  );
  expect(own).not.toEqual([]);
  const plans = await Promise.all(own.map((sent) => explain(service.database, sent)));
  const read = plans.map(indexesAndScansOf);
  expect(read.flatMap(({ indexes }) => indexes)).toContain(index);
  expect(read.flatMap(({ whole }) => whole)).not.toContain(table);
  expect(sorts ? [] : read.flatMap(({ sorted }) => sorted)).not.toContain(table);
});

test.each(tasks)('an instance finds $what in $index', async (task) => {
  const sent = statementOf(task, ofInstance);
  if (!sent) throw new Error('It was not sent.');
  const plan = await explain(service.database, sent, { avoidsWholeTables: true });
  const { indexes, whole } = indexesAndScansOf(plan);
  expect(indexes).toContain(task.index);
  expect(whole).not.toContain(task.table);
});

function statementOf(
  { statement, isOfAccount = false }: Task,
  sent: readonly SentStatement[],
): SentStatement | undefined {
  return sent.find(
    (one) => statement.test(plain(one)) && (!isOfAccount || one.values.includes(tenant.accountId)),
  );
}

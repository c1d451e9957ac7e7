/** The metrics that a process records while it works. Series with known labels exist from the start. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { constraints } from '../../generated/constraints.js';
import { operations } from '../../generated/operations.js';
import { modelCallOutcomes, toolOutcomes } from '../models/observer.js';
import { deliveryOutcomes, leaseKinds } from './telemetry.js';
import { other } from './label-slots.js';

/** The operation label of requests for paths outside the contract. */
export const noOperation = 'none';

const deliveryBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Up to the longest timeout of an agent, since a request may wait for it. */
const requestBuckets = [...deliveryBuckets, 120, 300, 600];
/** Few buckets, because there are many statements. */
const statementBuckets = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10];
/** For models and tools, which take longer than requests. */
const workBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export type Instruments = ReturnType<typeof createInstruments>;

export function createInstruments(registry: Registry) {
  const registers = [registry];
  const instruments = {
    requestsInFlight: new Gauge({
      name: 'agent_hosting_http_requests_in_flight',
      help: 'Requests whose response has not ended.',
      registers,
    }),
    requests: new Counter({
      name: 'agent_hosting_http_requests_total',
      help: 'Requests by operation and status. The status is "aborted" if the client disconnected.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'agent_hosting_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its response, including streams.',
      labelNames: ['operation'],
      buckets: requestBuckets,
      registers,
    }),
    invocations: new Counter({
      name: 'agent_hosting_invocations_total',
      help: 'Completed invocations by agent and outcome. Agents beyond the limit share the name "other".',
      labelNames: ['agent', 'agent_id', 'outcome'],
      registers,
    }),
    invocationSeconds: new Histogram({
      name: 'agent_hosting_invocation_duration_seconds',
      help: 'Time from the start of an invocation in a process until it is recorded.',
      labelNames: ['mode'],
      buckets: workBuckets,
      registers,
    }),
    modelCalls: new Counter({
      name: 'agent_hosting_model_calls_total',
      help: 'Model calls by provider, model and outcome. Models beyond the limit share the name "other".',
      labelNames: ['provider', 'model', 'outcome'],
      registers,
    }),
    modelSeconds: new Histogram({
      name: 'agent_hosting_model_call_duration_seconds',
      help: 'Time from a model call to the end of its response.',
      labelNames: ['provider'],
      buckets: workBuckets,
      registers,
    }),
    modelTokens: new Counter({
      name: 'agent_hosting_model_tokens_total',
      help: 'Tokens that models reported. The type is "unspecified" if only the sum of input and output is known.',
      labelNames: ['provider', 'model', 'type'],
      registers,
    }),
    modelRetries: new Counter({
      name: 'agent_hosting_model_retries_total',
      help: 'Model calls that were repeated, with the same model (retry) or the next one (fallback).',
      labelNames: ['kind'],
      registers,
    }),
    toolCalls: new Counter({
      name: 'agent_hosting_tool_calls_total',
      help: 'Tool calls by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    toolSeconds: new Histogram({
      name: 'agent_hosting_tool_call_duration_seconds',
      help: 'Time from a tool call to its result.',
      buckets: workBuckets,
      registers,
    }),
    deliveries: new Counter({
      name: 'agent_hosting_delivery_attempts_total',
      help: 'Delivery attempts to webhooks, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    deliverySeconds: new Histogram({
      name: 'agent_hosting_delivery_attempt_duration_seconds',
      help: 'Time from the start of a delivery attempt to the response of the receiver.',
      buckets: deliveryBuckets,
      registers,
    }),
    leasesLost: new Counter({
      name: 'agent_hosting_leases_lost_total',
      help: 'Leases that expired while this process held them, so that another process took over.',
      labelNames: ['kind'],
      registers,
    }),
    statementSeconds: new Histogram({
      name: 'agent_hosting_database_statement_duration_seconds',
      help: 'Duration of database statements by name. Statements without a name, such as those of Prisma, are "other".',
      labelNames: ['statement'],
      buckets: statementBuckets,
      registers,
    }),
    taskSucceeded: new Gauge({
      name: 'agent_hosting_task_last_success_timestamp_seconds',
      help: 'When a background task last succeeded on this instance; 0 if it has not since the start.',
      labelNames: ['task'],
      aggregator: 'max',
      registers,
    }),
  };
  createSeries(instruments);
  return instruments;
}

export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

/** Creates series at 0: the rate of a counter that appears with its first event would miss that event. */
function createSeries(instruments: Instruments): void {
  for (const { operationId: operation, statuses } of Object.values(operations)) {
    for (const status of [...statuses, 'aborted']) {
      instruments.requests.inc({ operation, status }, 0);
    }
    instruments.requestSeconds.zero({ operation });
  }
  instruments.requests.inc({ operation: noOperation, status: 404 }, 0);
  instruments.requestSeconds.zero({ operation: noOperation });
  for (const outcome of ['succeeded', ...constraints.InvocationFailure.properties.code.enum]) {
    instruments.invocations.inc({ agent: other, agent_id: other, outcome }, 0);
  }
  for (const mode of ['synchronous', 'asynchronous']) instruments.invocationSeconds.zero({ mode });
  for (const outcome of modelCallOutcomes) {
    instruments.modelCalls.inc({ provider: other, model: other, outcome }, 0);
  }
  for (const type of ['input', 'output', 'unspecified']) {
    instruments.modelTokens.inc({ provider: other, model: other, type }, 0);
  }
  instruments.modelSeconds.zero({ provider: other });
  for (const kind of ['retry', 'fallback']) instruments.modelRetries.inc({ kind }, 0);
  for (const outcome of toolOutcomes) instruments.toolCalls.inc({ outcome }, 0);
  for (const outcome of deliveryOutcomes) instruments.deliveries.inc({ outcome }, 0);
  for (const kind of leaseKinds) instruments.leasesLost.inc({ kind }, 0);
  instruments.statementSeconds.zero({ statement: other });
}

/** The metrics of one process: what it counts and measures of its work. All series whose labels are known exist from the start. */
import { Gauge, type Registry } from 'prom-client';
import { constraints } from '../../generated/constraints.js';
import { operations } from '../../generated/operations.js';
import { deliveryOutcomes, leaseKinds, modelCallOutcomes, toolOutcomes } from '../lib/telemetry.js';
import { other } from './label-slots.js';
import { Counter, Histogram } from './tallies.js';

/** Of requests that are for no operation of the contract. */
export const noOperation = 'none';
export const invocationModes = ['synchronous', 'asynchronous'] as const;
export const tokenTypes = ['input', 'output', 'unspecified'] as const;

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Models and tools take their time. */
const workBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export type Instruments = ReturnType<typeof createInstruments>;

export function createInstruments(registry: Registry) {
  const inFlight = { requests: 0 };
  new Gauge({
    name: 'agent_hosting_http_requests_in_flight',
    help: 'Requests whose response has not ended.',
    registers: [registry],
    collect() {
      this.set(inFlight.requests);
    },
  });
  const instruments = {
    inFlight,
    requests: new Counter({
      name: 'agent_hosting_http_requests_total',
      help: 'Requests by operation of the contract and status. "aborted" is the status of those whose client left.',
      labelNames: ['operation', 'status'],
      registry,
    }),
    requestSeconds: new Histogram({
      name: 'agent_hosting_http_request_duration_seconds',
      help: 'From the arrival of a request to the end of its response, streams included.',
      labelNames: ['operation'],
      buckets: requestBuckets,
      registry,
    }),
    invocations: new Counter({
      name: 'agent_hosting_invocations_total',
      help: 'Invocations that ended, by agent and outcome. Agents beyond the first ones share the name "other".',
      labelNames: ['agent', 'agent_id', 'outcome'],
      registry,
    }),
    invocationSeconds: new Histogram({
      name: 'agent_hosting_invocation_duration_seconds',
      help: 'From the start of an invocation on a process to its record.',
      labelNames: ['mode'],
      buckets: workBuckets,
      registry,
    }),
    modelCalls: new Counter({
      name: 'agent_hosting_model_calls_total',
      help: 'Calls of models by provider, model and outcome. Models beyond the first ones share the name "other".',
      labelNames: ['provider', 'model', 'outcome'],
      registry,
    }),
    modelSeconds: new Histogram({
      name: 'agent_hosting_model_call_duration_seconds',
      help: 'From a call of a model to the end of its answer.',
      labelNames: ['provider'],
      buckets: workBuckets,
      registry,
    }),
    modelTokens: new Counter({
      name: 'agent_hosting_model_tokens_total',
      help: 'Tokens that models reported. Type "unspecified" where only the sum of input and output is known.',
      labelNames: ['provider', 'model', 'type'],
      registry,
    }),
    modelRetries: new Counter({
      name: 'agent_hosting_model_retries_total',
      help: 'Calls of models that were made again, by the same model (retry) or the next one (fallback).',
      labelNames: ['kind'],
      registry,
    }),
    toolCalls: new Counter({
      name: 'agent_hosting_tool_calls_total',
      help: 'Calls of tools by outcome.',
      labelNames: ['outcome'],
      registry,
    }),
    toolSeconds: new Histogram({
      name: 'agent_hosting_tool_call_duration_seconds',
      help: 'From a call of a tool to its result.',
      buckets: workBuckets,
      registry,
    }),
    deliveries: new Counter({
      name: 'agent_hosting_delivery_attempts_total',
      help: 'Attempts to deliver an event to a webhook, by outcome.',
      labelNames: ['outcome'],
      registry,
    }),
    deliverySeconds: new Histogram({
      name: 'agent_hosting_delivery_attempt_duration_seconds',
      help: 'From the start of an attempt to the answer of the receiver.',
      buckets: requestBuckets,
      registry,
    }),
    leasesLost: new Counter({
      name: 'agent_hosting_leases_lost_total',
      help: 'Leases that expired while this process worked under them, so that another one took over.',
      labelNames: ['kind'],
      registry,
    }),
  };
  createSeries(instruments);
  return instruments;
}

/** A rate of a counter that appears with its first event misses that event. */
function createSeries(instruments: Instruments): void {
  for (const { operationId: operation, statuses } of Object.values(operations)) {
    for (const status of [...statuses, 'aborted']) instruments.requests.zero({ operation, status });
    instruments.requestSeconds.zero({ operation });
  }
  instruments.requests.zero({ operation: noOperation, status: 404 });
  instruments.requestSeconds.zero({ operation: noOperation });
  for (const outcome of ['succeeded', ...constraints.InvocationFailure.properties.code.enum]) {
    instruments.invocations.zero({ agent: other, agent_id: other, outcome });
  }
  for (const mode of invocationModes) instruments.invocationSeconds.zero({ mode });
  instruments.modelSeconds.zero({ provider: other });
  for (const outcome of modelCallOutcomes) {
    instruments.modelCalls.zero({ provider: other, model: other, outcome });
  }
  for (const type of tokenTypes)
    instruments.modelTokens.zero({ provider: other, model: other, type });
  for (const kind of ['retry', 'fallback']) instruments.modelRetries.zero({ kind });
  for (const outcome of toolOutcomes) instruments.toolCalls.zero({ outcome });
  for (const outcome of deliveryOutcomes) instruments.deliveries.zero({ outcome });
  instruments.toolSeconds.zero({});
  instruments.deliverySeconds.zero({});
  for (const kind of leaseKinds) instruments.leasesLost.zero({ kind });
}

/** Creates the invocation service: models, session leases, and the worker for asynchronous invocations. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import {
  type AgentConfigurations,
  createAgentConfigurations,
} from '../domain/agents/configurations.js';
import {
  createInvocations,
  errorOf,
  type InvocationParts,
  type Invocations,
} from '../domain/invocations/invocations.js';
import { createSessions } from '../domain/invocations/sessions.js';
import { startInvocationWorker } from '../background/invocation-worker.js';
import type { Infrastructure } from './infrastructure.js';
import { errorResponse, toServiceError } from '../http/transport/error-response.js';
import { logFields } from '../http/transport/request.js';
import { toStoredResponse } from '../http/steps/idempotency.js';
import { presentResult } from '../operations/invoke.js';
import type { BytesInFlight } from '../lib/bytes-in-flight.js';
import { type FairQueue, inSlot } from '../lib/fair-queue.js';
import type { Telemetry } from '../lib/telemetry.js';
import { createModels } from '../runtime/models.js';
import { createBudgetCounters } from '../store/accounts/budgets.js';
import type { IdempotencyRecords } from '../store/idempotency/records.js';
import { createInvocationQueue, invocationChannel } from '../store/invocations/queue.js';
import { createInvocationRecorder } from '../store/invocations/record.js';
import { createSessionLeases, readHistory, sessionChannel } from '../store/sessions/sessions.js';

export interface InvocationService {
  invocations: Invocations;
  configurations: AgentConfigurations;
  /** Handlers of database notifications, by channel. */
  channels: Record<string, (payload: string) => void>;
  /** Signals that an asynchronous invocation may be due. */
  wakeWorker: () => void;
  /** Called when notifications may have been missed. */
  reset: () => void;
  /** Waits for running invocations; after the grace period they are interrupted, or released for another instance. */
  stop: (gracePeriodMs: number) => Promise<void>;
}

export function createInvocationService(
  config: Config,
  { database }: Infrastructure,
  records: IdempotencyRecords,
  { databaseSlots, bytesInFlight }: { databaseSlots: FairQueue; bytesInFlight: BytesInFlight },
  telemetry: Telemetry,
  log: Logger,
): InvocationService {
  const configurations = createAgentConfigurations(database);
  const leases = createSessionLeases(database);
  const sessions = createSessions({
    ...leases,
    take: (session, owner) =>
      inSlot(databaseSlots, session.accountId, () => leases.take(session, owner)),
  });
  const invocations = createInvocations({
    allowPrivateTargets: config.allowPrivateTargets,
    models: createModels({ ...config.models, allowPrivateTargets: config.allowPrivateTargets }),
    sessions,
    readHistory: (session, exchanges) =>
      inSlot(databaseSlots, session.accountId, () => readHistory(database, session, exchanges)),
    budgets: createBudgetCounters(database),
    bytesInFlight,
    recorder: createInvocationRecorder(database, { onSessionReleased: sessions.wake }),
    telemetry,
    configurations,
    storedOutcome: storedOutcome(records),
    onError: (invocation, error) => {
      log.error({ ...logFields(invocation), err: error }, 'an asynchronous invocation failed');
    },
  });
  const name = randomUUID();
  const worker =
    config.asyncConcurrency === 0
      ? undefined
      : startInvocationWorker({
          name,
          queue: createInvocationQueue(database),
          run: (claimed, options) => invocations.runClaimed(claimed, name, options),
          concurrency: config.asyncConcurrency,
          onError: (error) => {
            log.warn({ err: error }, 'running asynchronous invocations failed');
          },
        });
  const wakeWorker = () => worker?.wake();

  return {
    invocations,
    configurations,
    channels: { [sessionChannel]: sessions.wake, [invocationChannel]: wakeWorker },
    wakeWorker,
    reset: () => {
      configurations.forgetAll();
      sessions.wakeAll();
      wakeWorker();
    },
    stop: async (gracePeriodMs) => {
      // Shortly before the server closes connections, so that waiting clients still receive the error.
      const deadlineMs = Math.max(0, gracePeriodMs - Math.min(1_000, gracePeriodMs / 4));
      const forceTimer = setTimeout(invocations.interrupt, deadlineMs);
      await Promise.all([invocations.idle(), worker?.stop(deadlineMs)]);
      clearTimeout(forceTimer);
    },
  };
}

/** The response that is replayed for the same Idempotency-Key: the result, or the error. */
export function storedOutcome(records: IdempotencyRecords): InvocationParts['storedOutcome'] {
  return (id, requestId, outcome) => {
    const response =
      'completion' in outcome
        ? presentResult({ ...outcome.completion, requestId, durationMs: outcome.durationMs })
        : errorResponse(toServiceError(errorOf(outcome.failure)));
    return { id, owner: null, response: records.seal(id, toStoredResponse(response)) };
  };
}

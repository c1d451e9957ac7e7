/** Invocations, as the configuration wants them: the models that answer, and the worker for the asynchronous ones. */
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
import { storable } from '../http/steps/idempotency.js';
import { presentResult } from '../operations/invoke.js';
import { createModels, type ProviderSettings } from '../runtime/models.js';
import type { IdempotencyRecords } from '../store/idempotency-records.js';
import { createInvocationQueue, invocationChannel } from '../store/invocation-queue.js';
import { createInvocationRecorder } from '../store/record-invocation.js';
import { createSessionLeases, sessionChannel } from '../store/sessions.js';

export interface InvocationService {
  invocations: Invocations;
  configurations: AgentConfigurations;
  /** What to do with announcements of the database, by channel. */
  channels: Record<string, (payload: string) => void>;
  /** Announcements may have been missed. */
  reset: () => void;
  /** Lets what runs come to its end; what takes longer than that is interrupted, or given back to be run elsewhere. */
  stop: (gracePeriodMs: number) => Promise<void>;
}

export function createInvocationService(
  config: Config,
  { database }: Infrastructure,
  records: IdempotencyRecords,
  log: Logger,
): InvocationService {
  const configurations = createAgentConfigurations(database);
  const sessions = createSessions(createSessionLeases(database));
  const invocations = createInvocations({
    database,
    models: createModels(providerSettings(config)),
    sessions,
    recorder: createInvocationRecorder(database),
    configurations,
    storedOutcome: storedOutcome(records),
    onFault: (requestId, fault) => {
      log.error({ request_id: requestId, err: fault }, 'an asynchronous invocation failed');
    },
  });
  const name = randomUUID();
  const worker =
    config.asyncConcurrency === 0
      ? undefined
      : startInvocationWorker({
          name,
          queue: createInvocationQueue(database),
          run: (claimed, begin) => invocations.runClaimed(claimed, name, begin),
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
    reset: () => {
      configurations.forgetAll();
      sessions.wakeAll();
      wakeWorker();
    },
    stop: async (gracePeriodMs) => {
      // A little before connections are cut, so that whoever waits for an answer still hears that there is none.
      const deadlineMs = Math.max(0, gracePeriodMs - Math.min(1_000, gracePeriodMs / 4));
      const forceTimer = setTimeout(invocations.interrupt, deadlineMs);
      await Promise.all([invocations.idle(), worker?.stop(deadlineMs)]);
      clearTimeout(forceTimer);
    },
  };
}

export function providerSettings({ models, allowPrivateTargets }: Config): ProviderSettings {
  const { openaiApiKey, openaiBaseUrl, anthropicApiKey, anthropicBaseUrl } = models;
  const { localApiKey, localBaseUrl } = models;
  return {
    openai:
      openaiApiKey === undefined ? undefined : { apiKey: openaiApiKey, baseUrl: openaiBaseUrl },
    anthropic:
      anthropicApiKey === undefined
        ? undefined
        : { apiKey: anthropicApiKey, baseUrl: anthropicBaseUrl },
    local: localBaseUrl === undefined ? undefined : { baseUrl: localBaseUrl, apiKey: localApiKey },
    allowPrivateTargets,
  };
}

/** The answer that a repeat gets, as it would have been sent: the result, or the error. */
function storedOutcome(records: IdempotencyRecords): InvocationParts['storedOutcome'] {
  return (id, requestId, outcome) => {
    const answer =
      'completion' in outcome
        ? presentResult({ ...outcome.completion, requestId, durationMs: outcome.durationMs })
        : errorResponse(toServiceError(errorOf(outcome.failure)));
    return { id, owner: null, response: records.seal(id, storable(answer)) };
  };
}

/** Invocations, as the configuration wants them: the models that answer, and the worker for the asynchronous ones. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import {
  createInvocations,
  errorOf,
  type InvocationParts,
  type Invocations,
} from '../domain/invocations/invocations.js';
import { createSessions } from '../domain/invocations/sessions.js';
import { startWorker } from '../background/invocation-worker.js';
import type { Foundation } from './infrastructure.js';
import { errorAnswer, toServiceError } from '../http/steps/errors.js';
import { storable } from '../http/steps/idempotency.js';
import { presentResult } from '../operations/invoke.js';
import { createModels, type ProviderSettings } from '../runtime/models.js';
import {
  type AgentConfigurations,
  createAgentConfigurations,
} from '../store/agent-configurations.js';
import type { IdempotencyRecords } from '../store/idempotency-records.js';
import { createInvocationQueue, invocationChannel } from '../store/invocation-queue.js';
import { createInvocationRecorder } from '../store/record-invocation.js';
import { createSessionLeases, sessionChannel } from '../store/session-leases.js';

export interface Invoking {
  invocations: Invocations;
  configurations: AgentConfigurations;
  /** What to do with announcements of the database, by channel. */
  channels: Record<string, (payload: string) => void>;
  /** Announcements may have been missed. */
  reset: () => void;
  /** Lets what runs come to its end; what takes longer than that is interrupted, or given back to be run elsewhere. */
  stop: (patienceMs: number) => Promise<void>;
}

export function createInvoking(
  config: Config,
  { database }: Foundation,
  records: IdempotencyRecords,
  log: Logger,
): Invoking {
  const configurations = createAgentConfigurations(database);
  const sessions = createSessions(createSessionLeases(database));
  const invocations = createInvocations({
    sql: database,
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
      : startWorker({
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
    stop: async (patienceMs) => {
      // A little before connections are cut, so that whoever waits for an answer still hears that there is none.
      const enough = Math.max(0, patienceMs - Math.min(1_000, patienceMs / 4));
      const impatience = setTimeout(invocations.interrupt, enough);
      await Promise.all([invocations.idle(), worker?.stop(enough)]);
      clearTimeout(impatience);
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
      'answer' in outcome
        ? presentResult({ ...outcome.answer, requestId, durationMs: outcome.durationMs })
        : errorAnswer(toServiceError(errorOf(outcome.failure)));
    return { id, owner: null, response: records.seal(id, storable(answer)) };
  };
}

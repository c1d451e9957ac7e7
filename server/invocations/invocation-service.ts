/** Composes what runs invocations: the invocation service, its sessions, its summaries and the worker of asynchronous ones. */
import type { Logger } from 'pino';
import { startInvocationWorker } from './worker.js';
import type { Config } from '../config/config.js';
import { type AgentConfigurations, createAgentConfigurations } from '../agents/configurations.js';
import { Invocations } from './invocations.js';
import { cancelChannel } from './cancel.js';
import { createSessionLeases, createSessions, sessionChannel } from './sessions/sessions.js';
import { createSummaries } from './summaries.js';
import { createRecall } from '../memory/recall.js';
import type { SemanticSearch } from '../memory/semantic-search.js';
import type { BytesInFlight } from '../lib/async/bytes-in-flight.js';
import { logFields, type Telemetry } from '../telemetry/telemetry.js';
import { createModels } from '../models/models.js';
import { createBudgetCounters } from '../accounts/budgets.js';
import type { CountStored } from '../accounts/stored-bytes.js';
import type { Secrets } from '../installation/key-ring.js';
import { InvocationQueue, invocationChannel } from './queue.sql.js';
import { createInvocationRecorder } from './recorder.js';
import { createRunningLog } from './running-log.js';
import type { Database } from '../postgres/database.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import { committedRun, readSteps, type RunId } from './steps.js';
import { saveSummary } from './sessions/history.sql.js';

export interface InvocationService {
  invocations: Invocations;
  configurations: AgentConfigurations;
  /** Handlers of database notifications, by channel. */
  channels: Record<string, (payload: string) => void>;
  /** Called when notifications may have been missed. */
  reset: () => void;
  /** Waits for running invocations; after the grace period they are interrupted, or released for another instance. */
  stop: (gracePeriodMs: number) => Promise<void>;
}

interface InvocationServiceParts {
  config: Config;
  database: Database;
  secrets: Secrets;
  semanticSearch: SemanticSearch | undefined;
  countStored: CountStored;
  bytesInFlight: BytesInFlight;
  telemetry: Telemetry;
  log: Logger;
}

export function createInvocationService(parts: InvocationServiceParts): InvocationService {
  const { config, database, secrets, countStored, bytesInFlight, telemetry, log } = parts;
  const configurations = createAgentConfigurations(database);
  const sessions = createSessions(createSessionLeases(database));
  const models = createModels({
    ...config.models,
    allowPrivateTargets: config.allowPrivateTargets,
  });
  const budgets = createBudgetCounters(database);
  const runningLog = createRunningLog({ connection: database, secrets, countStored });
  const summaries = createSummaries({
    models,
    budgets,
    runningLog,
    save: (answer) => saveSummary(database, answer),
  });
  const readRun = async (run: RunId) => {
    try {
      return committedRun(await readSteps(database, secrets, run));
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      log.error({ request_id: run.requestId, err: error }, 'the steps of a run cannot be read');
      return undefined;
    }
  };
  const invocations = new Invocations({
    allowPrivateTargets: config.allowPrivateTargets,
    openRecall: createRecall(parts),
    models,
    sessions,
    budgets,
    bytesInFlight,
    recorder: createInvocationRecorder({
      connection: database,
      secrets,
      onSessionReleased: sessions.wake,
      countStored,
    }),
    runningLog,
    summaries,
    telemetry,
    configurations,
    readRun,
    onError: ({ kind, ...invocation }, error) => {
      log.error({ ...logFields(invocation), err: error }, `${kind} invocation failed`);
    },
  });
  const loop =
    config.asyncConcurrency === 0
      ? undefined
      : startInvocationWorker({
          queue: new InvocationQueue({ database }),
          run: (claimed, options) => invocations.runClaimed(claimed, options),
          concurrency: config.asyncConcurrency,
          onError: (error) => {
            log.warn({ err: error }, 'running asynchronous invocations failed');
          },
        });
  const wakeWorker = () => loop?.wake();

  return {
    invocations,
    configurations,
    channels: {
      [sessionChannel]: sessions.wake,
      [invocationChannel]: wakeWorker,
      [cancelChannel]: (runId) => {
        invocations.cancel(runId);
      },
    },
    reset: () => {
      sessions.wakeAll();
      wakeWorker();
    },
    stop: async (gracePeriodMs) => {
      // Interrupts shortly before the server closes connections, so that waiting clients still receive the error.
      const deadlineMs = Math.max(0, gracePeriodMs - Math.min(1_000, gracePeriodMs / 4));
      const forceTimer = setTimeout(() => {
        invocations.interrupt();
      }, deadlineMs);
      await Promise.all([invocations.idle(), loop?.stop(deadlineMs)]);
      clearTimeout(forceTimer);
      summaries.stop();
    },
  };
}

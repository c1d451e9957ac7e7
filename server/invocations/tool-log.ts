/**
 * Writes the log of a run that calls tools while it runs, so that a crash leaves an entry for each call: the beginnings of a step's calls
 * are committed before any of them is made, and each end is written in the background.
 */
import type { CalledTool } from '../models/tools/toolbox.js';
import type { LogRecord } from './record-rows.js';
import type { InvocationKey } from './row.js';
import type { ActingLeases, RunningLog } from './running-log.js';
import { Interruption } from './interruption.js';
import type { Journal } from './journal.js';

export interface ToolLog {
  /** Commits that these tools are about to be called. Throws if that fails or a lease is lost; then none of them must be called. */
  begin: (calls: readonly CalledTool[]) => Promise<void>;
  /** Writes the entries of the journal in the background. */
  writeSoon: () => void;
  /** Awaits what is being written. What could not be written is in the journal again. Never rejects. */
  settle: () => Promise<void>;
}

interface ToolLogParts {
  store: RunningLog;
  journal: Pick<Journal, 'take' | 'putBack' | 'toolCalled'>;
  /** The leases that must still be held to call tools. */
  leases: () => ActingLeases;
}

export function openToolLog(
  { id, agentId, accountId }: InvocationKey,
  { store, journal, leases }: ToolLogParts,
): ToolLog {
  const invocation = { id, agentId, accountId };
  /** Entries of writes that failed. They may be stored nevertheless. */
  let doubtful: LogRecord[] = [];
  let acting: ActingLeases | undefined;
  let writing: Promise<void> | undefined;

  const writeAll = async () => {
    for (let logs = journal.take(); logs.length > 0; logs = journal.take()) {
      await store.write({ ...invocation, logs, acting: undefined }).catch(() => {
        doubtful.push(...logs);
      });
    }
  };
  const putBackDoubtful = async () => {
    if (doubtful.length === 0) return;
    const logs = doubtful;
    doubtful = [];
    const written = await store.findWritten(invocation, logs).catch(() => new Set<string>());
    journal.putBack(logs.filter((entry) => !written.has(entry.id)));
  };
  const settle = async () => {
    await writing;
    await putBackDoubtful();
  };

  return {
    async begin(calls) {
      await settle();
      const earlier = journal.take();
      for (const call of calls) journal.toolCalled(call);
      const logs = [...earlier, ...journal.take()];
      if (calls.some(({ hasEffect }) => hasEffect)) acting ??= leases();
      const written = await store.write({ ...invocation, logs, acting }).catch((error: unknown) => {
        // Without the beginnings, since the tools are not called.
        doubtful.push(...earlier);
        throw error;
      });
      if (written === 'written') return;
      journal.putBack(earlier);
      throw new Interruption(written === 'worker_lost' ? 'work_lost' : 'key_lost');
    },
    writeSoon: () => {
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
    },
    settle,
  };
}

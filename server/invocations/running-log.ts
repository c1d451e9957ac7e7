/**
 * Writes the log of a run that calls tools while it runs, so that a crash leaves an entry for each call. The beginnings of a step's calls
 * are committed before any of them is made, together with the mark that the invocation has acted; each end is written in the background.
 */
import type { CountStored } from '../accounts/stored-bytes.js';
import { sealSettlement, type SettledKey } from '../idempotency/sealed-response.js';
import type { Secrets } from '../installation/key-ring.js';
import { sumUsage } from '../metrics/usage.js';
import type { CalledTool } from '../models/tools/toolbox.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { Interruption } from './interruption.js';
import type { InvocationKey } from './invocation.js';
import type { Journal } from './journal.js';
import type { InvocationRecord, LogRecord } from './record.js';
import { logCountsOf, logRowsOf } from './recorder.js';
import { recordInvocations } from './record.sql.js';
import { keepKeys } from '../idempotency/records.sql.js';
import { markClaimedInvocations } from './queue.sql.js';

/** The leases that an invocation must still hold to call tools. Both are null for a synchronous invocation without a key. */
export type ActingLeases = Pick<InvocationRecord, 'worker' | 'idempotency'>;

export interface RunningEntries extends InvocationKey, Pick<InvocationRecord, 'logs'> {
  /** Set if tools are about to be called. */
  acting: ActingLeases | undefined;
}

/** `written`, or the lease that was lost, in which case nothing was written. */
export type Written = 'written' | 'key_lost' | 'worker_lost';

export interface RunningLog {
  write: (entries: RunningEntries) => Promise<Written>;
  /** Returns those of the entries that are stored, for a writer that got no answer. */
  findWritten: (
    invocation: Pick<InvocationKey, 'id' | 'accountId'>,
    logs: readonly LogRecord[],
  ) => Promise<Set<string>>;
}

interface RunningLogParts {
  connection: Connection;
  /** Seal the responses that are stored under keys. */
  secrets: Secrets;
  countStored: CountStored;
}

interface SealedEntries extends RunningEntries {
  settledKey: SettledKey | undefined;
}

/** Batches by account, like the records of ended invocations. */
export function createRunningLog({
  connection,
  secrets,
  countStored,
}: RunningLogParts): RunningLog {
  const write = batched<SealedEntries, Written>(
    async (all) => {
      const write = (queryable: Queryable) => writeEntries(queryable, all);
      try {
        const bytes = all.some(({ acting }) => acting?.worker ?? acting?.idempotency)
          ? await connection.atomically(async (queryable) => {
              await markActing(queryable, all);
              return write(queryable);
            })
          : await write(connection);
        countStored(all[0]?.accountId ?? '', bytes);
        return all.map(() => 'written');
      } catch (error) {
        // A batch runs again one by one, which shows which invocation has lost its lease.
        if (error instanceof LeaseLost && all.length === 1) return [error.lease];
        throw error;
      }
    },
    { keyOf: ({ accountId }) => accountId },
  );
  return {
    write: (entries) => {
      const idempotency = entries.acting?.idempotency;
      const settledKey = idempotency ? sealSettlement(secrets, idempotency) : undefined;
      return write({ ...entries, settledKey });
    },
    findWritten: async ({ id: requestId, accountId }, logs) => {
      const found = await connection.prisma.logEntry.findMany({
        where: { accountId, requestId, id: { in: logs.map(({ id }) => id) } },
        select: { id: true },
      });
      return new Set(found.map(({ id }) => id));
    },
  };
}

/** Rolls the transaction back. */
class LeaseLost extends Error {
  override name = 'LeaseLost';
  readonly lease: Exclude<Written, 'written'>;

  constructor(lease: LeaseLost['lease']) {
    super('Another process holds the lease.');
    this.lease = lease;
  }
}

async function markActing(queryable: Queryable, all: readonly SealedEntries[]): Promise<void> {
  const accountId = all[0]?.accountId ?? '';
  const claimed = all.flatMap(({ id, agentId, acting }) => {
    const owner = acting?.worker ?? null;
    return owner === null ? [] : [{ id, agentId, owner }];
  });
  if (claimed.length > 0) {
    const held = await markClaimedInvocations(queryable, accountId, claimed);
    if (held < claimed.length) throw new LeaseLost('worker_lost');
  }
  const keys = all.flatMap(({ settledKey }) => settledKey ?? []);
  if (keys.length > 0 && (await keepKeys(queryable, accountId, keys)) < keys.length) {
    throw new LeaseLost('key_lost');
  }
}

/**
 * Counts the entries under their own ids, because the record of the invocation counts under the id of the request. Returns the number of
 * bytes written.
 */
async function writeEntries(queryable: Queryable, all: readonly RunningEntries[]): Promise<number> {
  const { bytes } = await recordInvocations(queryable, all[0]?.accountId ?? '', {
    invocations: [],
    logs: all.flatMap(logRowsOf),
    memory: [],
    usage: sumUsage(all.flatMap(logCountsOf)),
    events: [],
  });
  return bytes;
}

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

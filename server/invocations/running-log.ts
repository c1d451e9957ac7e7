/**
 * Writes the log and the steps of a run that calls tools while it runs, so that a crash leaves an entry for each call, and another process
 * can go on. The beginnings of a reply's calls are committed before any of them is made, together with the mark that the invocation has
 * acted; each end is written in the background, while the model is called again.
 */
import type { CountStored } from '../accounts/stored-bytes.js';
import type { Secrets } from '../installation/key-ring.js';
import { sumUsage } from '../metrics/usage.js';
import type { CalledTool } from '../models/tools/toolbox.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { Interruption } from './interruption.js';
import type { InvocationRequest } from './invocation.js';
import type { Journal } from './journal.js';
import type { InvocationRecord, LogRecord } from './record.js';
import { logCountsOf, logRowsOf } from './recorder.js';
import { recordInvocations } from './record.sql.js';
import { type ActingKey, keepKeys } from '../idempotency/records.sql.js';
import { markClaimedInvocations } from './queue.sql.js';
import type { NewStep, StepLog } from './steps.js';
import { appendSteps, type SealedStep, sealSteps } from './steps.sql.js';

/** The leases that an invocation must still hold to call tools. Both are null for a synchronous invocation without a key. */
export interface ActingLeases {
  worker: string | null;
  key: ActingKey | null;
}

type Run = Pick<InvocationRequest, 'id' | 'agentId' | 'accountId' | 'userId' | 'environment'>;

export interface RunningEntries extends Run, Pick<InvocationRecord, 'logs'> {
  /** Set once tools are about to be called. */
  acting: ActingLeases | undefined;
  steps: readonly NewStep[];
}

/** `written`, or the lease that was lost, in which case nothing was written. */
export type Written = 'written' | 'key_lost' | 'worker_lost';

export interface RunningLog {
  write: (entries: RunningEntries) => Promise<Written>;
  /** Returns those of the entries that are stored, for a writer that got no answer. */
  findWritten: (
    invocation: Pick<Run, 'id' | 'accountId'>,
    logs: readonly LogRecord[],
  ) => Promise<Set<string>>;
}

interface RunningLogParts {
  connection: Connection;
  /** Seal the steps. */
  secrets: Secrets;
  countStored: CountStored;
}

interface SealedEntries extends RunningEntries {
  sealedSteps: readonly SealedStep[];
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
        const bytes = all.some(({ acting, steps }) => acting?.worker ?? acting?.key ?? steps[0])
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
    // Sealed one by one, because sealing many long results at once would block the event loop.
    write: (entries) =>
      write({ ...entries, sealedSteps: sealSteps(secrets, entries, entries.steps) }),
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
  const keys = all.flatMap(({ acting }) => acting?.key ?? []);
  if (keys.length > 0 && (await keepKeys(queryable, accountId, keys)) < keys.length) {
    throw new LeaseLost('key_lost');
  }
}

/**
 * Counts the entries under their own ids, because the record of the invocation counts under the id of the request. Returns the number of
 * bytes written.
 */
async function writeEntries(queryable: Queryable, all: readonly SealedEntries[]): Promise<number> {
  const accountId = all[0]?.accountId ?? '';
  const steps = await appendSteps(
    queryable,
    accountId,
    all.flatMap(({ sealedSteps }) => sealedSteps),
  );
  const { bytes } = await recordInvocations(queryable, accountId, {
    invocations: [],
    logs: all.flatMap(logRowsOf),
    memory: [],
    usage: sumUsage(all.flatMap(logCountsOf)),
    events: [],
  });
  return steps + bytes;
}

export interface ToolLog {
  /** Commits that these tools are about to be called. Throws if that fails or a lease is lost; then none of them must be called. */
  begin: (calls: readonly CalledTool[]) => Promise<void>;
  /** Commits the steps so far, for another process that goes on. Throws like `begin`. */
  commit: () => Promise<void>;
  /** Writes the entries of the journal, and the steps, in the background. */
  writeSoon: () => void;
  /** Awaits what is being written. What could not be written is in the journal again. Never rejects. */
  settle: () => Promise<void>;
}

interface ToolLogParts {
  store: RunningLog;
  journal: Pick<Journal, 'take' | 'putBack' | 'toolCalled'>;
  /** Undefined if nobody could go on with the run. */
  steps: StepLog | undefined;
  /** The leases that must still be held to call tools. */
  leases: () => ActingLeases;
  /** Whether the run has acted in a process before. */
  hasActed: boolean;
}

export function openToolLog(
  { id, agentId, accountId, userId, environment }: Run,
  { store, journal, steps, leases, hasActed }: ToolLogParts,
): ToolLog {
  const run = { id, agentId, accountId, userId, environment };
  /** Entries of writes that failed. They may be stored nevertheless. */
  let doubtful: LogRecord[] = [];
  let acting = hasActed ? leases() : undefined;
  let writing: Promise<void> | undefined;

  /** Writes the steps only once the run has acted: before, it may start over. */
  const write = async (logs: readonly LogRecord[], isBeginning = false): Promise<Written> => {
    const unwritten = (acting && steps?.unwritten()) ?? [];
    const fence = isBeginning || unwritten.length > 0 ? acting : undefined;
    const written = await store.write({ ...run, logs, acting: fence, steps: unwritten });
    if (written === 'written') steps?.written(unwritten);
    return written;
  };
  const hasMore = () => acting !== undefined && (steps?.unwritten().length ?? 0) > 0;
  const writeAll = async () => {
    for (let logs = journal.take(); logs.length > 0 || hasMore(); logs = journal.take()) {
      const written = await write(logs).catch(() => undefined);
      if (written === undefined) doubtful.push(...logs);
      else if (written !== 'written') journal.putBack(logs);
      // The run ends, or notices when it begins the next calls.
      if (written !== 'written') return;
    }
  };
  const putBackDoubtful = async () => {
    if (doubtful.length === 0) return;
    const logs = doubtful;
    doubtful = [];
    const written = await store.findWritten(run, logs).catch(() => new Set<string>());
    journal.putBack(logs.filter((entry) => !written.has(entry.id)));
  };
  const settle = async () => {
    await writing;
    await putBackDoubtful();
  };
  const commit = async (calls: readonly CalledTool[]) => {
    await settle();
    const earlier = journal.take();
    for (const call of calls) journal.toolCalled(call);
    const logs = [...earlier, ...journal.take()];
    const written = await write(logs, true).catch((error: unknown) => {
      // Without the beginnings, since the tools are not called.
      doubtful.push(...earlier);
      if (calls.length > 0) steps?.dropLast();
      throw error;
    });
    if (written === 'written') return;
    journal.putBack(earlier);
    throw new Interruption(written === 'worker_lost' ? 'work_lost' : 'key_lost');
  };

  return {
    async begin(calls) {
      const before = acting;
      if (calls.some(({ hasEffect }) => hasEffect)) acting ??= leases();
      steps?.add({ type: 'begun' });
      await commit(calls).catch((error: unknown) => {
        // Nothing was called, so a run that has not acted before still has not, and may start over.
        acting = before;
        throw error;
      });
    },
    async commit() {
      acting ??= leases();
      await commit([]);
    },
    writeSoon: () => {
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
    },
    async settle() {
      if (hasMore()) {
        await writing;
        await writeAll();
      }
      await settle();
    },
  };
}

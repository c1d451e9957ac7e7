/**
 * Writes log entries of invocations that still run. Entries for tools that are about to be called are committed before the calls, together
 * with the mark that the invocation has acted, so that a crash leaves both.
 */
import type { CountStored } from '../accounts/stored-bytes.js';
import type { SettledKey } from '../idempotency/row.js';
import { sealSettlement } from '../idempotency/sealed-response.js';
import type { Secrets } from '../installation/key-ring.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { sumUsage } from '../metrics/usage.js';
import { markClaimedInvocations } from './lease.sql.js';
import { type InvocationRecord, logCountsOf, type LogRecord, logRowsOf } from './record-rows.js';
import { recordInvocations } from './record.sql.js';
import { keepKeys } from './release-leases.sql.js';
import type { InvocationKey } from './row.js';

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

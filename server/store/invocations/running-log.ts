/**
 * Writes log entries of invocations that still run. Entries for tools that are about to be called are committed before the calls, together
 * with the mark that the invocation has acted, so that a crash leaves both.
 */
import type { CountStored } from '../accounts/stored-bytes.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { logCounts } from '../usage/usage.js';
import { markClaimedInvocations } from './lease.sql.js';
import {
  type InvocationRecord,
  keyRowOf,
  type LogRecord,
  logRowsOf,
  usageRowsOf,
} from './record.js';
import { recordInvocations } from './record.sql.js';
import { keepKeys } from './release-leases.sql.js';

/** The leases that an invocation must still hold to call tools. Both are null for a synchronous invocation without a key. */
export interface ActingLeases {
  /** The worker of an asynchronous invocation. */
  worker: string | null;
  /** The key of a synchronous invocation, with the response that repeats get if the invocation never ends. */
  idempotency: InvocationRecord['idempotency'];
}

export interface RunningEntries extends Pick<
  InvocationRecord,
  'id' | 'agentId' | 'accountId' | 'logs'
> {
  /** Set if tools are about to be called. */
  acting: ActingLeases | undefined;
}

/** `written`, or the lease that was lost, in which case nothing was written. */
export type Written = 'written' | 'key_lost' | 'worker_lost';

export interface RunningLog {
  write: (entries: RunningEntries) => Promise<Written>;
  /** Returns those of the entries that are stored, for a writer that got no answer. */
  findWritten: (
    invocation: Pick<RunningEntries, 'id' | 'accountId'>,
    logs: readonly LogRecord[],
  ) => Promise<Set<string>>;
}

/** Batches by account, like the records of ended invocations. */
export function createRunningLog(
  connection: Connection,
  countStored: CountStored = () => undefined,
): RunningLog {
  const write = batched<RunningEntries, Written>(
    async (all) => {
      const acting = all.flatMap(actingOf);
      const write = (queryable: Queryable) => writeEntries(queryable, all);
      try {
        const bytes =
          acting.length === 0
            ? await write(connection)
            : await connection.atomically(async (queryable) => {
                await mark(queryable, acting);
                return write(queryable);
              });
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
    write,
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

type ActingInvocation = Pick<RunningEntries, 'id' | 'agentId' | 'accountId'> & ActingLeases;

const actingOf = ({ id, agentId, accountId, acting }: RunningEntries): ActingInvocation[] =>
  acting && (acting.worker !== null || acting.idempotency !== null)
    ? [{ id, agentId, accountId, ...acting }]
    : [];

async function mark(queryable: Queryable, acting: readonly ActingInvocation[]): Promise<void> {
  const accountId = acting[0]?.accountId ?? '';
  const claimed = acting.flatMap(({ id, agentId, worker }) =>
    worker === null ? [] : [{ id, agentId, worker }],
  );
  if (claimed.length > 0) {
    const held = await markClaimedInvocations(queryable, accountId, claimed);
    if (held < claimed.length) throw new LeaseLost('worker_lost');
  }
  const keys = acting.flatMap(keyRowOf);
  if (keys.length > 0 && (await keepKeys(queryable, accountId, keys)) < keys.length) {
    throw new LeaseLost('key_lost');
  }
}

/**
 * Counts the entries under the id of the first, because the record of the invocation counts under the id of the request. Returns the
 * number of bytes written.
 */
async function writeEntries(queryable: Queryable, all: readonly RunningEntries[]): Promise<number> {
  const changes = all.flatMap(({ accountId, agentId, logs }) =>
    logs.map(({ id, at, level }) => ({ id, accountId, agentId, at, [logCounts[level]]: 1 })),
  );
  const { bytes } = await recordInvocations(queryable, all[0]?.accountId ?? '', {
    invocations: [],
    logs: all.flatMap(logRowsOf),
    memory: [],
    usage: usageRowsOf(changes),
    events: [],
  });
  return bytes;
}

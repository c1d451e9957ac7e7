/** Invokes agents when their schedules are due. Every instance of the service does it; a schedule's row lock decides which one. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { StoredBytes } from '../accounts/stored-bytes.js';
import { limitsOf } from '../accounts/tiers.js';
import { enqueueInvocations, invocationChannel } from '../invocations/queue.sql.js';
import { recordInvocations } from '../invocations/record.sql.js';
import { logCounts, sumUsage } from '../metrics/usage.js';
import { notify } from '../postgres/notify.sql.js';
import type { Database, Queryable } from '../postgres/database.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import type { Step } from '../postgres/step-loop.js';
import {
  claimDue,
  type DueAccount,
  type DueSchedule,
  findDueAccounts,
  findUnfinished,
  forgetAgents,
  moveSchedules,
} from './queue.sql.js';
import { type Tick, type TickEntry, tickOf } from './tick.js';

interface TickParts {
  database: Database;
  storedBytes: Pick<StoredBytes, 'secondsUntilFree' | 'add'>;
  log: Pick<Logger, 'warn'>;
}

/** How often it looks for schedules, if none is due sooner. */
const everyMs = 1_000;
/** Few enough that computing their next times does not block the event loop for long. */
const batch = 50;
const maxAccounts = 1_000;
/** After as many accounts it looks again, because other instances are at work on the same ones. */
const accountsAtOnce = 50;
/** Accounts at a time. The pool's connections are for requests too. */
const concurrency = 3;

export function tickSchedules(parts: TickParts): Step {
  return {
    name: 'tick schedules',
    everyMs,
    run: async (signal) => {
      const { database } = parts;
      const due = await findDueAccounts(database, { withinMs: everyMs, limit: maxAccounts });
      const [first] = due;
      if (!first) return false;
      // A millisecond longer, because timers are no more exact than that.
      const waitMs = Math.max(0, Math.ceil(first.inMs) + 1);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
      const accounts = shuffled(due.filter(({ inMs }) => inMs <= waitMs));
      return tickAccounts(parts, accounts.slice(0, accountsAtOnce), signal);
    },
  };
}

/** So that instances do not get in each other's way, and an account without room does not stay in front of others. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

/** Returns whether anything was done. If not, the accounts have no room, or another instance is at work. */
async function tickAccounts(
  parts: TickParts,
  accounts: DueAccount[],
  signal: AbortSignal,
): Promise<boolean> {
  const isStopping = () => signal.aborted;
  const takeTurns = async () => {
    let hasTicked = false;
    for (let account = accounts.shift(); account && !isStopping(); account = accounts.shift()) {
      if (await tickAccount(parts, account)) hasTicked = true;
    }
    return hasTicked;
  };
  const turns = await Promise.all(Array.from({ length: concurrency }, takeTurns));
  const hasTicked = turns.includes(true);
  // Once for all accounts, since a NOTIFY in a transaction makes commits wait for each other. If it is lost, workers look by themselves.
  if (hasTicked) await notify(parts.database, invocationChannel);
  return hasTicked;
}

/** Returns whether anything was done. An account that fails does not keep the others waiting. */
async function tickAccount(
  { database, storedBytes, log }: TickParts,
  { accountId, tier, caps }: DueAccount,
): Promise<boolean> {
  const { asyncInvocations, bytesPerDay } = limitsOf(tier, caps ?? {});
  // Its schedules stay due.
  if (storedBytes.secondsUntilFree(accountId, bytesPerDay) > 0) return false;
  try {
    const { moved, bytes } = await database.atomically((transaction) =>
      tickBatch(transaction, { accountId, maxQueued: asyncInvocations }),
    );
    storedBytes.add(accountId, bytes);
    return moved > 0;
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    log.warn({ account_id: accountId, err: error }, 'the schedules of an account failed');
    return false;
  }
}

interface BatchOptions {
  accountId: string;
  /** The maximum number of asynchronous invocations of the account. */
  maxQueued: number;
}

/** Ticks due schedules of an account, those first that have waited longest. Must be in a transaction. */
export async function tickBatch(
  transaction: Queryable,
  { accountId, maxQueued }: BatchOptions,
): Promise<{ moved: number; bytes: number }> {
  const due = await claimDue(transaction, accountId, batch);
  if (due.length === 0) return { moved: 0, bytes: 0 };
  const isGone = ({ agentStatus }: DueSchedule) => agentStatus === null;
  await forgetAgents(
    transaction,
    accountId,
    due.filter(isGone).map(({ agentId }) => agentId),
  );
  const present = due.filter((schedule) => !isGone(schedule));
  const unfinished = await findUnfinished(transaction, accountId, present);
  const ticks = present.map((schedule) => tickOf(schedule, unfinished));
  const done = await queueInvocations(transaction, ticks, { accountId, maxQueued });
  await moveSchedules(
    transaction,
    accountId,
    done.map(({ moved }) => moved),
  );
  await writeEntries(
    transaction,
    accountId,
    done.flatMap(({ entry }) => entry ?? []),
  );
  const messages = done.flatMap(({ invocation }) => invocation ?? []);
  const bytes = messages.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  return { moved: due.length - present.length + done.length, bytes };
}

/** Returns the ticks without those for which the account has no room, and which stay due. */
async function queueInvocations(
  transaction: Queryable,
  ticks: readonly Tick[],
  { accountId, maxQueued }: BatchOptions,
): Promise<Tick[]> {
  const invocations = ticks.flatMap(({ invocation }) => invocation ?? []);
  if (invocations.length === 0) return [...ticks];
  const outcomes = await enqueueInvocations(transaction, { accountId, invocations, maxQueued });
  const refused = new Set(invocations.filter((_one, index) => outcomes[index] === 'too_many'));
  return ticks.filter(({ invocation }) => !invocation || !refused.has(invocation));
}

async function writeEntries(
  transaction: Queryable,
  accountId: string,
  entries: readonly TickEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const counts = entries.map(({ id, agentId, loggedAt: at, level }) => ({
    id,
    accountId,
    agentId,
    at,
    [logCounts[level]]: 1,
  }));
  const usage = sumUsage(counts);
  const none = { invocations: [], memory: [], events: [] };
  await recordInvocations(transaction, accountId, { ...none, logs: entries, usage });
}

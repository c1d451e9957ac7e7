/**
 * Decides which due deliveries to attempt next. Accounts take turns, and the receivers of an account share its turn. An account can
 * hold at most as many attempts as remain free, both of the instance's total and of each host's limit: one account alone gets half,
 * two get a third each, and a further account always finds free capacity, however long the attempts hang. A receiver starts with
 * two concurrent attempts. Each success doubles its limit and a failure resets it to one, so that receivers that hang do not use up
 * the capacity of the others.
 */
import { createFairShares, type FairShares } from '../lib/async/fair-shares.js';
import { type DueReceiver, maxClaimed } from '../store/deliveries/deliveries.js';

export interface Limits {
  /** Concurrent attempts of this instance. */
  total: number;
  /** Concurrent attempts to one host, however many webhooks and accounts use it. */
  perHost: number;
}

export const defaultLimits: Limits = { total: 1_000, perHost: 16 };

interface Turn {
  accountId: string;
  /** How many attempts can start, by webhook id. */
  limits: ReadonlyMap<string, number>;
}

interface Receivers {
  /** Adds receivers that have due deliveries. Each stays until a turn claims fewer deliveries than it has room for. */
  add: (found: readonly DueReceiver[]) => void;
  /** The next account that can start attempts; undefined at the end of a round, when every account has had its turn. */
  nextTurn: () => Turn | undefined;
  /** Ends a turn with the deliveries that it claimed. */
  endTurn: (turn: Turn, claimed: readonly { webhookId: string }[]) => void;
  begin: (target: AttemptTarget) => RunningAttempt;
}

type AttemptTarget = Omit<DueReceiver, 'isFailing'>;

interface RunningAttempt {
  /** Frees the slots of webhook and host. Pass undefined if the outcome says nothing about the receiver. */
  releaseReceiver: (succeeded: boolean | undefined) => void;
  /** Frees the account's slot, once the result has been recorded. */
  end: () => void;
}

interface WaitingReceiver extends DueReceiver {
  maxConcurrent: number;
}

const initialConcurrency = 2;
const maxConcurrency = 16;

/** Calls `onRoom` when an attempt ends while receivers have due deliveries. */
export function trackReceivers(onRoom: () => void, { total, perHost }: Limits): Receivers {
  /** By account and webhook id, in the order of their turns. */
  const due = new Map<string, Map<string, WaitingReceiver>>();
  /** The accounts that have not had their turn in this round. */
  let round = new Set<string>();
  const accounts = createFairShares(total);
  const hosts = new Map<string, FairShares>();
  /** The number of attempts by webhook id. */
  const running = new Map<string, number>();

  const hostShares = (host: string) => hosts.get(host) ?? createFairShares(perHost);
  const addRunning = (webhookId: string, count: 1 | -1) => {
    const sum = (running.get(webhookId) ?? 0) + count;
    if (sum === 0) running.delete(webhookId);
    else running.set(webhookId, sum);
  };
  const roomOf = ({ accountId, webhookId, host, maxConcurrent }: WaitingReceiver) =>
    Math.min(hostShares(host).roomFor(accountId), maxConcurrent - (running.get(webhookId) ?? 0));

  /** Divides a turn evenly among the receivers that have room. */
  const divideTurn = (accountId: string, receivers: Iterable<WaitingReceiver>) => {
    const open = [...receivers].filter((receiver) => roomOf(receiver) > 0);
    let left = Math.min(accounts.roomFor(accountId), maxClaimed);
    const each = Math.ceil(left / open.length);
    const leftOnHosts = new Map<string, number>();
    const limits = new Map<string, number>();
    for (const receiver of open) {
      const { webhookId, host } = receiver;
      const leftOnHost = leftOnHosts.get(host) ?? hostShares(host).roomFor(accountId);
      const room = Math.min(each, left, leftOnHost, roomOf(receiver));
      if (room <= 0) continue;
      limits.set(webhookId, room);
      left -= room;
      leftOnHosts.set(host, leftOnHost - room);
    }
    return limits;
  };

  return {
    add(found) {
      for (const receiver of found) {
        const { accountId, webhookId } = receiver;
        const receivers = due.get(accountId) ?? new Map<string, WaitingReceiver>();
        const initial = receiver.isFailing ? 1 : initialConcurrency;
        const maxConcurrent = receivers.get(webhookId)?.maxConcurrent ?? initial;
        due.set(accountId, receivers.set(webhookId, { ...receiver, maxConcurrent }));
        round.add(accountId);
      }
    },

    nextTurn() {
      for (const accountId of round) {
        round.delete(accountId);
        const limits = divideTurn(accountId, due.get(accountId)?.values() ?? []);
        if (limits.size > 0) return { accountId, limits };
      }
      round = new Set(due.keys());
      return undefined;
    },

    endTurn({ accountId, limits }, claimed) {
      const receivers = due.get(accountId);
      if (!receivers) return;
      due.delete(accountId);
      let offered = 0;
      for (const [webhookId, room] of limits) {
        offered += room;
        const receiver = receivers.get(webhookId);
        receivers.delete(webhookId);
        const isFull = claimed.filter((one) => one.webhookId === webhookId).length === room;
        if (isFull && receiver) receivers.set(webhookId, receiver);
      }
      if (receivers.size === 0) return;
      due.set(accountId, receivers);
      // The turn ended at the batch size, so the account may have room for more in this round.
      if (offered === maxClaimed) round.add(accountId);
    },

    begin({ accountId, webhookId, host }) {
      const shares = hostShares(host);
      hosts.set(host, shares);
      shares.take(accountId);
      accounts.take(accountId);
      addRunning(webhookId, 1);
      const freed = () => {
        if (due.size > 0) onRoom();
      };
      return {
        releaseReceiver(succeeded) {
          shares.release(accountId);
          if (shares.free() === perHost) hosts.delete(host);
          addRunning(webhookId, -1);
          const receiver = due.get(accountId)?.get(webhookId);
          if (receiver && succeeded !== undefined) {
            const doubled = Math.min(2 * receiver.maxConcurrent, maxConcurrency);
            receiver.maxConcurrent = succeeded ? doubled : 1;
          }
          freed();
        },
        end() {
          accounts.release(accountId);
          freed();
        },
      };
    },
  };
}

/**
 * Decides which due deliveries to attempt next. Accounts take turns. The attempts of this instance, and those to each host, are shared
 * fairly by account, and each webhook has a constant limit, so that receivers that hang do not use up the capacity of the others.
 */
import { FairQueue, type Release } from '../../lib/async/fair-queue.js';
import { HostQueues } from '../../lib/async/host-queues.js';
import { Counts } from '../../lib/data/counts.js';
import { type DueReceiver, maxClaimed } from './queue.sql.js';

export interface Limits {
  /** Concurrent attempts of this instance. */
  total: number;
  /** Concurrent attempts to one host, however many webhooks and accounts use it. A webhook gets up to a quarter of them. */
  perHost: number;
}

export const defaultLimits: Limits = { total: 1_000, perHost: 16 };

interface Turn {
  accountId: string;
  /** How many attempts can start, by webhook id. */
  limits: ReadonlyMap<string, number>;
}

export class Receivers {
  readonly #perWebhook: number;
  readonly #slots: FairQueue;
  readonly #hosts: HostQueues;
  /** The number of attempts by webhook id. */
  readonly #running = new Counts();
  /** By account and webhook id, in the order of their turns. */
  readonly #due = new Map<string, Map<string, DueReceiver>>();

  constructor({ total, perHost }: Limits) {
    this.#perWebhook = Math.ceil(perHost / 4);
    this.#slots = new FairQueue(total);
    this.#hosts = new HostQueues(perHost);
  }

  /** Adds receivers that have due deliveries. Each stays until a turn claims fewer deliveries than it has room for. */
  add(found: readonly DueReceiver[]): void {
    for (const receiver of found) {
      const receivers = this.#due.get(receiver.accountId) ?? new Map<string, DueReceiver>();
      this.#due.set(receiver.accountId, receivers.set(receiver.webhookId, receiver));
    }
  }

  /** The next account that can start attempts. */
  nextTurn(): Turn | undefined {
    for (const [accountId, receivers] of this.#due) {
      const limits = this.#limitsOf(accountId, receivers.values());
      if (limits.size > 0) return { accountId, limits };
    }
    return undefined;
  }

  /** Ends a turn with the deliveries that it claimed: the account and the receivers that may have more go to the end. */
  endTurn({ accountId, limits }: Turn, claimed: readonly { webhookId: string }[]): void {
    const receivers = this.#due.get(accountId) ?? new Map<string, DueReceiver>();
    for (const [webhookId, limit] of limits) {
      const receiver = receivers.get(webhookId);
      receivers.delete(webhookId);
      const isFull = claimed.filter((one) => one.webhookId === webhookId).length === limit;
      if (isFull && receiver) receivers.set(webhookId, receiver);
    }
    this.#due.delete(accountId);
    if (receivers.size > 0) this.#due.set(accountId, receivers);
  }

  /** Counts an attempt until it is released. */
  begin({ accountId, webhookId, host }: DueReceiver): Release {
    const releases = [this.#slots.take(accountId), this.#hosts.take(host, accountId)];
    this.#running.add(webhookId, 1);
    return () => {
      for (const release of releases) release();
      this.#running.add(webhookId, -1);
    };
  }

  #limitsOf(accountId: string, receivers: Iterable<DueReceiver>): Map<string, number> {
    const limits = new Map<string, number>();
    const offeredByHost = new Counts();
    let left = Math.min(this.#slots.roomFor(accountId), maxClaimed);
    for (const { webhookId, host } of receivers) {
      const limit = Math.min(
        left,
        this.#hosts.roomFor(host, accountId) - offeredByHost.of(host),
        this.#perWebhook - this.#running.of(webhookId),
      );
      if (limit <= 0) continue;
      limits.set(webhookId, limit);
      offeredByHost.add(host, limit);
      left -= limit;
    }
    return limits;
  }
}

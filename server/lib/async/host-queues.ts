/** Limits the concurrent requests to each host, fairly by account, so that accounts can neither flood a host nor keep each other from it. */
import { FairQueue, type Release } from './fair-queue.js';

export class HostQueues {
  readonly #perHost: number;
  /** Only hosts with requests that run or wait. */
  readonly #hosts = new Map<string, FairQueue>();

  constructor(perHost: number) {
    this.#perHost = perHost;
  }

  /** How many more requests the account may send to the host. */
  roomFor(host: string, account: string): number {
    return this.#queueOf(host).roomFor(account);
  }

  /** Resolves when the account may send a request. Rejects with the signal's reason if it aborts before. */
  async enter(host: string, account: string, signal: AbortSignal): Promise<Release> {
    const queue = this.#queueOf(host);
    const entered = queue.enter(account, { signal });
    if (!queue.isIdle) this.#hosts.set(host, queue);
    return this.#forgetting(host, queue, await entered);
  }

  /** Takes a slot without waiting, for callers that have asked for room. */
  take(host: string, account: string): Release {
    const queue = this.#queueOf(host);
    this.#hosts.set(host, queue);
    return this.#forgetting(host, queue, queue.take(account));
  }

  #queueOf(host: string): FairQueue {
    return this.#hosts.get(host) ?? new FairQueue(this.#perHost);
  }

  #forgetting(host: string, queue: FairQueue, release: Release): Release {
    return () => {
      release();
      if (queue.isIdle && this.#hosts.get(host) === queue) this.#hosts.delete(host);
    };
  }
}

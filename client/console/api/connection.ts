/** The state that every response updates: whether the service is reachable, and the rate limit. */
import { signal } from '@preact/signals';

export interface RateLimit {
  limit: number;
  remaining: number;
  /** The time at which the bucket is full again, in milliseconds. */
  fullAt: number;
}

export const rateLimit = signal<RateLimit | undefined>(undefined);

/** Whether the last request got a response. */
export const isConnected = signal(true);

/** The share of the rate limit that background requests leave to users and programs. */
const reservedShare = 0.3;

/** Whether enough of the rate limit is left for a background request. */
export function canSendInBackground(): boolean {
  const known = rateLimit.peek();
  return known === undefined || estimateRemaining(known) > known.limit * reservedShare;
}

/** The share of the rate limit that refreshing may use per minute. */
const refreshShare = 0.1;

/** The pause after a refresh that took this many requests; longer if the rate limit is low. */
export function refreshIntervalMs(requests: number, minMs: number): number {
  const { limit = Infinity } = rateLimit.peek() ?? {};
  return Math.max(minMs, (requests / (limit * refreshShare)) * 60_000);
}

/** Uses the last known value until the bucket is full again. */
function estimateRemaining({ limit, remaining, fullAt }: RateLimit): number {
  return Date.now() >= fullAt ? limit : remaining;
}

/** The `fetch` for all requests. */
export const observedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    isConnected.value = true;
    readRateLimit(response.headers);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) isConnected.value = false;
    throw error;
  }
};

function readRateLimit(headers: Headers): void {
  const read = (name: string) => Number(headers.get(`x-ratelimit-${name}`) ?? NaN);
  const [limit, remaining, reset] = [read('limit'), read('remaining'), read('reset')];
  if (Number.isFinite(limit) && Number.isFinite(remaining)) {
    rateLimit.value = { limit, remaining, fullAt: reset * 1_000 };
  }
}

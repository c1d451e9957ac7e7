/** What every answer tells besides its content: that the service is there, and what is left of the rate limit. */
import { signal } from '@preact/signals';

export interface RateLimit {
  limit: number;
  remaining: number;
  /** When the bucket is full again, in milliseconds. */
  fullAt: number;
}

export const rateLimit = signal<RateLimit | undefined>(undefined);

/** Whether the last request had an answer. */
export const isConnected = signal(true);

/** Of the requests that the account may make at once, people and programs get the larger part. */
const backgroundShare = 0.3;

/** Whether a request that nobody asked for would take nothing from those that somebody does. */
export function hasRoomForBackground(): boolean {
  const known = rateLimit.peek();
  return known === undefined || estimateRemaining(known) > known.limit * backgroundShare;
}

/** Of the requests that the account may make at once, the part that refreshing may use in a minute. */
const refreshShare = 0.1;

/** The pause after a refresh that took so many requests: longer where the account may make few. */
export function gentlePause(requests: number, leastMs: number): number {
  const { limit = Infinity } = rateLimit.peek() ?? {};
  return Math.max(leastMs, (requests / (limit * refreshShare)) * 60_000);
}

/** The bucket fills evenly until it is full. */
function estimateRemaining({ limit, remaining, fullAt }: RateLimit): number {
  return Date.now() >= fullAt ? limit : remaining;
}

/** The fetch of all requests. */
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

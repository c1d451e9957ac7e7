/** The limiter, against a simulated provider with a token bucket, on a simulated clock. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type LimitedCall, ProviderLimiter } from '../../server/models/provider-limiter.js';

beforeEach(() => {
  jest.useFakeTimers();
  // No jitter, so that the times are known.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const ids = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

function limitedCall(options: Partial<LimitedCall> = {}): LimitedCall {
  return {
    queueKey: 'a',
    signal: new AbortController().signal,
    deadline: Date.now() + 3_600_000,
    maxPauseMs: Infinity,
    isRepeat: false,
    ...options,
  };
}

/** A provider that takes so many calls a second. Its decision takes 20 ms; a call's account is the first letter of its name. */
function simulate(limiter: ProviderLimiter, { perSecond = 5, retryAfterMs = 1_000 } = {}) {
  let tokens = perSecond;
  let filledAt = performance.now();
  const log = { sent: [] as string[], answered: [] as string[], failed: [] as string[] };
  const take = () => {
    const now = performance.now();
    tokens = Math.min(perSecond, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
  const callOnce = async (name: string, call: LimitedCall) => {
    const sent = await limiter.enter(call);
    log.sent.push(name);
    const isAccepted = take();
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (isAccepted) sent.accepted();
    else sent.rejected(retryAfterMs);
    sent.end();
    return isAccepted;
  };
  const call = async (name: string, options: Partial<LimitedCall> = {}) => {
    const first = limitedCall({ queueKey: name.charAt(0), ...options });
    try {
      let isAnswered = await callOnce(name, first);
      while (!isAnswered) isAnswered = await callOnce(name, { ...first, isRepeat: true });
      log.answered.push(name);
    } catch {
      log.failed.push(name);
    }
  };
  return {
    ...log,
    arrive: (names: string[], options?: Partial<LimitedCall>) => {
      for (const name of names) void call(name, options);
      return pass(0);
    },
  };
}

describe('a burst of 50 through a provider that takes 5 a second', () => {
  test('is answered with few rejected calls, at nearly the rate that the provider takes', async () => {
    const provider = simulate(new ProviderLimiter());
    await provider.arrive(ids('a', 50));
    await pass(13_000);
    expect(provider.answered).toHaveLength(50);
    expect(provider.sent.length).toBeLessThanOrEqual(70);
  });

  test('is answered although the provider names no delay', async () => {
    const provider = simulate(new ProviderLimiter(), { retryAfterMs: 0 });
    await provider.arrive(ids('a', 50));
    await pass(15_000);
    expect(provider.answered).toHaveLength(50);
    expect(provider.sent.length).toBeLessThanOrEqual(80);
  });

  test("does not delay another account's call by more than a few turns", async () => {
    const provider = simulate(new ProviderLimiter());
    await provider.arrive(ids('a', 50));
    await pass(2_000);
    const before = provider.sent.length;
    await provider.arrive(['b1']);
    await pass(2_000);
    expect(provider.sent.slice(before, before + 3)).toContain('b1');
    expect(provider.answered).toContain('b1');
  });
});

test('a burst begins with eight calls, and each accepted call lets one more go', async () => {
  const limiter = new ProviderLimiter();
  const provider = simulate(limiter, { perSecond: 1_000 });
  await provider.arrive(ids('a', 100));
  expect(provider.sent).toHaveLength(8);
  await pass(20);
  expect(provider.sent).toHaveLength(24);
  await pass(80);
  expect(provider.answered).toHaveLength(100);
});

test('a provider that takes long to decide, but rejects nothing, does not hold calls up for long', async () => {
  const limiter = new ProviderLimiter();
  let sent = 0;
  for (let arrived = 0; arrived < 300; arrived += 1) {
    void limiter.enter(limitedCall()).then(() => (sent += 1));
  }
  await pass(0);
  expect(sent).toBe(8);
  await pass(6_000);
  expect(sent).toBe(300);
});

describe('after a 429', () => {
  /** A limiter whose provider has just rejected a call. */
  async function limited(retryAfterMs: number | undefined) {
    const limiter = new ProviderLimiter();
    (await limiter.enter(limitedCall())).rejected(retryAfterMs);
    return limiter;
  }

  /** Tells what became of a call, as soon as it is known. */
  function watch(limiter: ProviderLimiter, options: Partial<LimitedCall> = {}) {
    const seen: { outcome: unknown } = { outcome: 'waits' };
    void limiter.enter(limitedCall(options)).then(
      () => (seen.outcome = 'sent'),
      (error: unknown) => (seen.outcome = error),
    );
    return seen;
  }

  test('all calls pause for the time that the provider asks for', async () => {
    const limiter = await limited(3_000);
    const seen = [watch(limiter), watch(limiter, { queueKey: 'b' })];
    await pass(2_999);
    expect(seen.map(({ outcome }) => outcome)).toEqual(['waits', 'waits']);
    await pass(1);
    expect(seen[0]?.outcome).toBe('sent');
    await pass(1_000);
    expect(seen[1]?.outcome).toBe('sent');
  });

  test('the pause varies, so that instances do not return together', async () => {
    jest.mocked(Math.random).mockReturnValue(0.99);
    expect((await limited(1_000)).pauseMs()).toBeCloseTo(1_198);
  });

  test('pauses double while no call gets through and the provider names no delay', async () => {
    const limiter = await limited(undefined);
    const pauses = [limiter.pauseMs()];
    for (let rejections = 1; rejections < 4; rejections += 1) {
      await pass(limiter.pauseMs());
      (await limiter.enter(limitedCall())).rejected(undefined);
      pauses.push(limiter.pauseMs());
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000]);
  });

  test('rejections of calls that were sent before it count as the same', async () => {
    const limiter = new ProviderLimiter();
    const sent = await Promise.all([1, 2, 3].map(() => limiter.enter(limitedCall())));
    for (const call of sent) {
      await pass(1);
      call.rejected(undefined);
    }
    expect(limiter.pauseMs()).toBe(500);
  });

  test('a pause of an hour is tried out after a minute', async () => {
    const seen = watch(await limited(3_600_000));
    await pass(60_000);
    expect(seen.outcome).toBe('sent');
  });

  test('calls are paced for a minute, and then free', async () => {
    const provider = simulate(await limited(1_000), { perSecond: 1_000 });
    await pass(1_000);
    await provider.arrive(ids('a', 4));
    expect(provider.sent).toHaveLength(1);
    await pass(60_001);
    await provider.arrive(ids('a', 4));
    expect(provider.sent).toHaveLength(8);
  });

  test('a call that would have to pause too long fails at once, and says how long', async () => {
    const limiter = await limited(30_000);
    const failure = { rateLimited: true, retryable: true, retryAfterMs: 30_000 };
    const seen = [
      watch(limiter, { maxPauseMs: 10_000 }),
      watch(limiter, { deadline: Date.now() + 20_000 }),
      // It has a fallback.
      watch(limiter, { maxPauseMs: 0 }),
    ];
    await pass(0);
    for (const { outcome } of seen) expect(outcome).toMatchObject(failure);
  });

  test('a waiting call fails when a new 429 makes the pause too long', async () => {
    const limiter = new ProviderLimiter();
    const calls = await Promise.all(ids('a', 8).map(() => limiter.enter(limitedCall())));
    const seen = watch(limiter, { maxPauseMs: 10_000 });
    calls[0]?.rejected(30_000);
    await pass(0);
    expect(seen.outcome).toMatchObject({ rateLimited: true });
  });

  test('a call whose turn does not come before its deadline fails as rate limited, not as slow', async () => {
    const limiter = await limited(500);
    for (let arrived = 0; arrived < 30; arrived += 1) watch(limiter);
    const seen = watch(limiter, { deadline: Date.now() + 5_000 });
    await pass(5_000);
    expect(seen.outcome).toMatchObject({ rateLimited: true });
  });

  test('a repeated call goes before those of its account that wait for their turn', async () => {
    const limiter = await limited(1_000);
    const order: string[] = [];
    const enter = (name: string, isRepeat: boolean) =>
      limiter.enter(limitedCall({ isRepeat })).then(() => order.push(name));
    void enter('next', false);
    void enter('later', false);
    void enter('repeated', true);
    await pass(3_000);
    expect(order).toEqual(['next', 'repeated', 'later']);
  });

  test('a call that is aborted leaves the line', async () => {
    const limiter = await limited(1_000);
    const controller = new AbortController();
    const aborted = watch(limiter, { signal: controller.signal });
    const seen = watch(limiter);
    const reason = new Error('The client has gone.');
    controller.abort(reason);
    await pass(1_000);
    expect(aborted.outcome).toBe(reason);
    expect(seen.outcome).toBe('sent');
  });
});

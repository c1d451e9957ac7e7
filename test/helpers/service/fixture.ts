/** Fixtures that the tests of a file share: started before them, stopped after them. */
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

export interface FixtureOptions {
  /** Starts a new one for each test, instead of one for all tests of the file or block. */
  perTest?: boolean;
}

/**
 * Registers the hooks that start and stop the fixture, and returns a proxy for it that can be used from the first test
 * on.
 */
export function useFixture<Fixture extends object>(
  start: () => Promise<Fixture>,
  stop?: (fixture: Fixture) => unknown,
  { perTest = false }: FixtureOptions = {},
): Fixture {
  let started: Fixture | undefined;
  const [before, after] = perTest ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    started = await start();
  });
  after(async () => {
    const fixture = started;
    started = undefined;
    if (fixture) await stop?.(fixture);
  });
  return proxyFor(() => {
    if (!started) throw new Error('The fixture has not started: use it only in hooks and tests.');
    return started;
  });
}

/** A proxy for the object that the function currently returns. */
function proxyFor<Target extends object>(current: () => Target): Target {
  const handler: ProxyHandler<Target> = {
    get: (_, name) => Reflect.get(current(), name) as unknown,
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    // Configurable, since the proxy's target has no such property.
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), name);
      return found && { ...found, configurable: true };
    },
  };
  return new Proxy(Object.create(null) as Target, handler);
}

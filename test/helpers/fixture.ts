/** What the tests of a file share: started before them, stopped after them. */
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

export interface FixtureOptions {
  /** Anew for each test, and not once for all tests of the file or block. */
  perTest?: boolean;
}

/**
 * Registers the hooks that start and stop something, and stands for it from the first test on: each use of the result
 * is a use of what was started.
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
  return standIn(() => {
    if (!started) throw new Error('It has not started: use it in hooks and tests only.');
    return started;
  });
}

/** An object that is, at each moment, the one that the function returns. */
function standIn<Target extends object>(current: () => Target): Target {
  const handler: ProxyHandler<Target> = {
    get: (_, name) => Reflect.get(current(), name) as unknown,
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    // Configurable, since the stand-in itself has no such property.
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(current(), name);
      return found && { ...found, configurable: true };
    },
  };
  return new Proxy(Object.create(null) as Target, handler);
}

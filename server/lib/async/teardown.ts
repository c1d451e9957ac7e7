/** Collects clean-up functions and runs them in reverse order, on shutdown or when a start fails half-way. */
export interface Teardown {
  add: (cleanUp: () => Promise<unknown>) => void;
  /** Runs all functions even if some fail, then throws the first error. */
  run: () => Promise<void>;
}

export function createTeardown(): Teardown {
  const pending: (() => Promise<unknown>)[] = [];
  return {
    add: (cleanUp) => {
      pending.push(cleanUp);
    },
    run: async () => {
      const errors: unknown[] = [];
      for (let cleanUp = pending.pop(); cleanUp; cleanUp = pending.pop()) {
        await cleanUp().catch((error: unknown) => errors.push(error));
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}

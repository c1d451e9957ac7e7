/** Remembers how to undo what was set up, and undoes it in reverse: at the end, or when the rest of the set-up fails. */
export interface Teardown {
  add: (undo: () => Promise<unknown>) => void;
  /** Goes on to the end even if something cannot be undone, and then throws the first reason. */
  run: () => Promise<void>;
}

export function createTeardown(): Teardown {
  const undos: (() => Promise<unknown>)[] = [];
  return {
    add: (undo) => {
      undos.push(undo);
    },
    run: async () => {
      const failures: unknown[] = [];
      for (let undo = undos.pop(); undo; undo = undos.pop()) {
        await undo().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

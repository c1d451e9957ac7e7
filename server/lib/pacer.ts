/**
 * Lets only so many requests of an account go on per iteration of the event loop: whoever sends many at a time does not
 * fill the iteration that others wait for. With nothing else to do, iterations follow each other at once.
 */
export type Pacer = (accountId: string) => Promise<void>;

interface Line {
  /** How many more may go on in this iteration. */
  left: number;
  waiting: (() => void)[];
}

export function createPacer(perIteration: number): Pacer {
  const lines = new Map<string, Line>();

  const nextIteration = () => {
    for (const [accountId, line] of lines) {
      if (line.waiting.length === 0) lines.delete(accountId);
      const admitted = line.waiting.splice(0, perIteration);
      line.left = perIteration - admitted.length;
      for (const goOn of admitted) goOn();
    }
    if (lines.size > 0) setImmediate(nextIteration);
  };

  const newLine = (accountId: string): Line => {
    if (lines.size === 0) setImmediate(nextIteration);
    const line = { left: perIteration, waiting: [] };
    lines.set(accountId, line);
    return line;
  };

  return async (accountId) => {
    const line = lines.get(accountId) ?? newLine(accountId);
    if (line.left === 0) return new Promise((resolve) => line.waiting.push(resolve));
    line.left -= 1;
  };
}

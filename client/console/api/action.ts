/** An action of the user: runs one at a time, and keeps its error. */
import { useState } from 'preact/hooks';
import type { AgentHosting } from '../../src/index.js';
import { describeProblem, isAbort, type Problem } from './problem.js';
import { session } from './session.js';

export interface Action<Input> {
  run: (input: Input) => Promise<void>;
  isRunning: boolean;
  problem: Problem | undefined;
  clear: () => void;
}

export function useAction<Input = void>(
  act: (client: AgentHosting, input: Input) => Promise<void>,
): Action<Input> {
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  return {
    isRunning,
    problem,
    clear: () => {
      setProblem(undefined);
    },
    run: async (input) => {
      const client = session.peek()?.client;
      if (!client || isRunning) return;
      setRunning(true);
      setProblem(undefined);
      try {
        await act(client, input);
      } catch (error) {
        if (!isAbort(error)) setProblem(describeProblem(error));
      } finally {
        setRunning(false);
      }
    },
  };
}

/**
 * Repeats a call whose prompt the provider rejects as too long, each time with a shorter one: first without the older half of the history,
 * down to none, then with shorter tool results. What was left out stays left out for the rest of the conversation.
 */
import { withoutOlderHalf } from './history.js';
import type { ModelCaller } from './call-model.js';
import { type CallEnd, type Message, ModelFailure, type Prompt, type Step } from './model.js';

export interface LeftOut {
  turns: number;
  /** To how many characters each tool result was cut; undefined if none was. */
  resultLength: number | undefined;
}

export interface Shortener {
  /** Throws the ModelFailure for a prompt that cannot be shortened further. */
  call: (prompt: Prompt, onText: (text: string) => void) => Promise<CallEnd>;
  /** Undefined if every prompt fitted. */
  leftOut: () => LeftOut | undefined;
}

/** Shorter results are of no use to a model. */
const minResultLength = 500;

export function createShortener(
  { history: initial }: Pick<Prompt, 'history'>,
  caller: Pick<ModelCaller, 'call' | 'fallBack'>,
): Shortener {
  let history: readonly Message[] = initial;
  let leftOut: LeftOut | undefined;

  const shorten = (steps: readonly Step[]): boolean => {
    if (history.length > 0) {
      const { history: newer, dropped } = withoutOlderHalf(history);
      history = newer;
      leftOut = { turns: (leftOut?.turns ?? 0) + dropped, resultLength: leftOut?.resultLength };
      return true;
    }
    const length = Math.floor(longestResult(cutResults(steps, leftOut?.resultLength)) / 2);
    if (length < minResultLength) return false;
    leftOut = { turns: leftOut?.turns ?? 0, resultLength: length };
    return true;
  };

  return {
    leftOut: () => leftOut,
    async call(prompt, onText) {
      const { steps = [] } = prompt;
      const output = { hasBegun: false };
      const append = (text: string) => {
        output.hasBegun = true;
        onText(text);
      };
      for (;;) {
        try {
          const cutSteps = cutResults(steps, leftOut?.resultLength);
          return await caller.call({ ...prompt, history, steps: cutSteps }, append);
        } catch (error) {
          if (!(error instanceof ModelFailure) || error.kind !== 'context_length') throw error;
          // A second answer would be appended to the first.
          if (output.hasBegun) throw windowFull(error);
          // Another model may have a larger window.
          if (shorten(steps) || caller.fallBack(error)) continue;
          throw steps.length === 0 ? error : windowFull(error);
        }
      }
    },
  };
}

function longestResult(steps: readonly Step[]): number {
  const lengths = steps.flatMap((step) =>
    'results' in step ? step.results.map(({ text }) => text.length) : [],
  );
  return Math.max(0, ...lengths);
}

function cutResults(steps: readonly Step[], maxLength: number | undefined): readonly Step[] {
  if (maxLength === undefined) return steps;
  return steps.map((step) =>
    'results' in step
      ? {
          ...step,
          results: step.results.map((result) => ({ ...result, text: cut(result.text, maxLength) })),
        }
      : step,
  );
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const note = `\n[The result was cut: the context window has no room for the rest of its ${text.length} characters.]`;
  return `${text.slice(0, Math.max(0, maxLength - note.length)).toWellFormed()}${note}`;
}

/** The message fitted, but not what the tools and the model added to it. */
function windowFull({ message, status, said }: ModelFailure): ModelFailure {
  return new ModelFailure(message, {
    retryable: false,
    status,
    said,
    explanation: "The context window of the agent's model is full.",
  });
}

/** Limits how many tasks with the same key run at a time. Others wait in order of arrival. */
import { abortReason } from './abort.js';

export type Slots = <Result>(
  key: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>;

/** Rejects with the signal's reason if it aborts before a slot is free. */
export function createSlots(perKey: number): Slots {
  const keys = new Map<string, { held: number; waiting: (() => void)[] }>();

  const enter = async (key: string, signal: AbortSignal): Promise<void> => {
    const slots = keys.get(key) ?? { held: 0, waiting: [] };
    keys.set(key, slots);
    if (slots.held < perKey) {
      slots.held += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      slots.waiting.push(resolve);
      const giveUp = () => {
        slots.waiting = slots.waiting.filter((waiting) => waiting !== resolve);
        reject(abortReason(signal));
      };
      signal.addEventListener('abort', giveUp, { once: true });
    });
  };

  const leave = (key: string): void => {
    const slots = keys.get(key);
    // Passes the slot on to the next in the queue, if there is one.
    const next = slots?.waiting.shift();
    if (next) next();
    else if (slots) {
      slots.held -= 1;
      if (slots.held === 0) keys.delete(key);
    }
  };

  return async (key, signal, work) => {
    signal.throwIfAborted();
    await enter(key, signal);
    try {
      return await work();
    } finally {
      leave(key);
    }
  };
}

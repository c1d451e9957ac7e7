/** Lets a loop sleep until there is something to do. A call that comes while it is awake is not lost. */

export interface WakeUp {
  call: () => void;
  /** A call a few milliseconds later, so that what happens until then is dealt with together. */
  callSoon: () => void;
  /** Returns at the next call, or after that time. */
  sleep: (ms: number) => Promise<void>;
}

const soonMs = 5;

export function createWakeUp(): WakeUp {
  let wasCalled = false;
  let wake: (() => void) | undefined;
  let soon: NodeJS.Timeout | undefined;
  const call = () => {
    wasCalled = true;
    wake?.();
  };
  return {
    call,
    callSoon: () => {
      soon ??= setTimeout(() => {
        soon = undefined;
        call();
      }, soonMs);
    },
    sleep: async (ms) => {
      if (!wasCalled) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      wasCalled = false;
    },
  };
}

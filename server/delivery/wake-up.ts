/** Lets a loop sleep until there is something to do. A call that comes while it is awake is not lost. */

export interface WakeUp {
  call: () => void;
  /** Returns at the next call, or after that time. */
  sleep: (ms: number) => Promise<void>;
}

export function createWakeUp(): WakeUp {
  let wasCalled = false;
  let wake: (() => void) | undefined;
  return {
    call: () => {
      wasCalled = true;
      wake?.();
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

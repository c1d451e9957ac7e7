/**
 * Rings after so many milliseconds, counted from when it was set last, 0 being never, or when the signal is aborted.
 * Setting it to -1 takes it back for good.
 */
export type Alarm = (delay?: number) => void;

export function alarm(usual: number, signal: AbortSignal | undefined, ring: () => void): Alarm {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const set = (delay = usual) => {
    clearTimeout(timer);
    if (delay > 0) timer = setTimeout(ring, delay);
    if (delay < 0) signal?.removeEventListener('abort', ring);
  };
  signal?.addEventListener('abort', ring);
  set();
  return set;
}

/** With WORKERS: each worker tells the primary regularly that its event loop runs, and the primary learns of one that hangs. */
import type { Worker } from 'node:cluster';

/** The message from a worker to the primary. */
const beat = 'beat';
const intervalMs = 5_000;
/**
 * Half a minute in a row without a beat: far longer than work that blocks an event loop. Intervals are counted instead of time, because
 * after a suspension of the machine the time has passed although no worker could run.
 */
const maxMissed = 6;

/** Runs in a worker, from before its start, so that one that hangs while it starts is found too. */
export function sendBeats(): void {
  const send = () => {
    // The callback ignores the error if the primary has exited meanwhile.
    if (process.connected) process.send?.(beat, undefined, undefined, () => undefined);
  };
  setInterval(send, intervalMs).unref();
}

/** Runs in the primary: calls back once if the worker lives but has not sent a beat for half a minute. */
export function onSilence(worker: Worker, callback: () => void): void {
  let missed = 0;
  const timer = setInterval(() => {
    missed += 1;
    if (missed <= maxMissed) return;
    clearInterval(timer);
    callback();
  }, intervalMs);
  timer.unref();
  worker.on('message', (message: unknown) => {
    if (message === beat) missed = 0;
  });
  worker.once('exit', () => {
    clearInterval(timer);
  });
}

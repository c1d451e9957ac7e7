/** The ways in which a running invocation is stopped from outside, as the reason of its abort signal. */

export type InterruptionKind =
  /** It took longer than its agent may. */
  | 'timeout'
  /** Nobody waits for the answer any more. */
  | 'cancelled'
  /** Another process took its turn in the session over. */
  | 'session_lost'
  /** Another worker took it over. */
  | 'work_lost'
  /** The service is being stopped. */
  | 'stopping';

export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind) {
    super(`The invocation was interrupted: ${kind}.`);
    this.kind = kind;
  }
}

export interface Interruptible {
  signal: AbortSignal;
  /** When its time is over, in milliseconds since the epoch. */
  deadline: number;
  interrupt: (kind: InterruptionKind) => void;
  /** Ends the watch for the time-out. */
  dispose: () => void;
}

export function interruptible(timeoutMs: number): Interruptible {
  const controller = new AbortController();
  const interrupt = (kind: InterruptionKind) => {
    controller.abort(new Interruption(kind));
  };
  const timer = setTimeout(interrupt, timeoutMs, 'timeout');
  return {
    signal: controller.signal,
    deadline: Date.now() + timeoutMs,
    interrupt,
    dispose: () => {
      clearTimeout(timer);
    },
  };
}

/** Interrupts a running invocation from outside: each kind is the reason of its abort signal. */
import { ExpectedError } from '../../lib/errors/expected-error.js';

export type InterruptionKind =
  /** The agent's time-out passed. */
  | 'timeout'
  /** The client disconnected. */
  | 'cancelled'
  /** Its session lease expired and another process took it. */
  | 'session_lost'
  /** The lease of its worker expired and another worker claimed it. */
  | 'work_lost'
  /** The answers on this instance take up the memory that there is for them. */
  | 'overloaded'
  /** The service is shutting down. */
  | 'stopping';

export class Interruption extends ExpectedError {
  override readonly name = 'Interruption';
  readonly kind: InterruptionKind;

  constructor(kind: InterruptionKind) {
    super(`The invocation was interrupted: ${kind}.`);
    this.kind = kind;
  }
}

export interface Interruptible {
  signal: AbortSignal;
  /** When the time-out passes, in milliseconds since the epoch. */
  deadline: number;
  interrupt: (kind: InterruptionKind) => void;
  /** Clears the timer of the time-out. */
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

/** Interrupts a running invocation from outside, through an abort signal whose reason tells the kind of interruption. */
import { ExpectedError } from '../lib/errors/expected-error.js';

export type InterruptionKind =
  /** The agent's timeout has elapsed. */
  | 'timeout'
  /** The client disconnected. */
  | 'disconnected'
  /** The caller stopped the run. */
  | 'cancelled'
  /** The invocation of the agent that asked this one ended. */
  | 'asker_ended'
  /** The session lease expired and another process acquired it. */
  | 'session_lost'
  /** The worker's lease expired and another worker claimed the invocation. */
  | 'work_lost'
  /** The lease of the Idempotency-Key expired and another request has it. */
  | 'key_lost'
  /** The account has used up its share of memory on this instance. */
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

/** The timeout of a run, and the way to interrupt it. */
export class RunControl {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal = this.#controller.signal;
  #isHandingOver = () => false;
  readonly #startedAt = performance.now();
  readonly #elapsedMs: number;
  /** When the timeout elapses, in milliseconds since the epoch. */
  readonly deadline: number;

  readonly timeoutMs: number;

  /** `elapsedMs` is how long the run took in a process before. */
  constructor(timeoutMs: number, elapsedMs = 0) {
    const leftMs = Math.max(0, timeoutMs - elapsedMs);
    this.timeoutMs = timeoutMs;
    this.#elapsedMs = elapsedMs;
    this.#timer = setTimeout(() => {
      this.interrupt('timeout');
    }, leftMs);
    this.deadline = Date.now() + leftMs;
  }

  /** For how long the run has taken, in whole milliseconds. */
  get elapsedMs(): number {
    return this.#elapsedMs + Math.round(performance.now() - this.#startedAt);
  }

  get isHandingOver(): boolean {
    return this.#isHandingOver();
  }

  /** The run ends before its next step once the worker stops, because another process can go on with it. */
  handOverWhen(isStopping: () => boolean): void {
    this.#isHandingOver = isStopping;
  }

  interrupt(kind: InterruptionKind): void {
    this.#controller.abort(new Interruption(kind));
  }

  /** Clears the timeout. */
  dispose(): void {
    clearTimeout(this.#timer);
  }
}

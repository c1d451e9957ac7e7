/** What every operation is given besides its input. */
import type { Caller } from '../domain/caller.js';
import type { Transaction } from '../store/database.js';
import type { JsonResponse } from './response.js';

export interface OperationContext {
  caller: Caller;
  requestId: string;
  /** Has the listener called when the client leaves before it has its answer. */
  onDisconnect: (listener: () => void) => void;
  /** Whether the client would rather have server-sent events than JSON, where the contract offers both. */
  prefersEvents: boolean;
  /**
   * Runs the effect of an operation and stores its answer for repeats of the same Idempotency-Key, both in one
   * transaction: after a crash either both are there or neither. Every operation that the contract calls idempotent
   * makes its changes through it, or settles `heldKey` in a statement of its own.
   */
  commit: <Answer extends JsonResponse>(
    effect: (transaction: Transaction) => Promise<Answer>,
  ) => Promise<Answer>;
  /** Undefined if the request has no Idempotency-Key. */
  heldKey: HeldKey | undefined;
}

/** An Idempotency-Key that this request holds. Its effect counts only if the owner is still the same at the commit. */
export interface HeldKey {
  id: Buffer<ArrayBuffer>;
  owner: string;
  /** The form in which an answer is kept for repeats. */
  seal: (answer: JsonResponse) => SealedResponse;
}

export interface SealedResponse {
  status: number;
  sealed: Uint8Array;
}

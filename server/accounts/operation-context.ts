/** The context that every operation receives in addition to its input. */
import type { IdempotencyRecord } from '../../generated/prisma/client.js';
import type { Caller } from './caller.js';
import type { Trace } from '../telemetry/telemetry.js';
import type { Transaction } from '../postgres/database.js';
import type { JsonResponse } from '../contract/response.js';

export interface OperationContext {
  caller: Caller;
  requestId: string;
  /** The caller's own token; undefined for an API key. A secret: it is nowhere but in memory, unless an agent's tools need it. */
  token: string | undefined;
  /** The agents that a list of the whole account must leave out, because their settings reject the request. */
  hiddenAgents: readonly string[];
  trace: Trace;
  /** How many runs of agents have led to the request, as it says itself. */
  hops: number;
  /** Registers a listener for a client that disconnects before its response is complete. */
  onDisconnect: (listener: () => void) => void;
  /** Registers a listener for the end of the response, complete or not. */
  onClose: (listener: () => void) => void;
  /** Frees the account's database slot, for an operation that runs long without the database. */
  releaseSlot: () => void;
  /** Whether the client prefers server-sent events to JSON, where the contract offers both. */
  prefersEvents: boolean;
  /**
   * Runs the effect of an operation and stores its response under the Idempotency-Key, in one transaction: a crash
   * leaves both or neither. Every operation that the contract declares idempotent makes its changes through `commit`,
   * or completes `idempotencyClaim` in its own statement.
   */
  commit: <Response extends JsonResponse>(
    effect: (transaction: Transaction) => Promise<Response>,
  ) => Promise<Response>;
  /** Undefined if the request has no Idempotency-Key. */
  idempotencyClaim: IdempotencyClaim | undefined;
}

/** The right to run a request with an Idempotency-Key; another process can take it over once the lease expires. */
export type Claim = Pick<IdempotencyRecord, 'accountId' | 'id' | 'owner'>;

/** This request's claim on its Idempotency-Key. The commit fails if the key has another owner by then. */
export interface IdempotencyClaim extends Claim {
  /** The invocation to go on with, which a request with the key began before; null if there is none. */
  requestId: string | null;
  /** Keeps renewing the claim until the promise settles, even if the client disconnects. */
  holdUntil: (ended: Promise<unknown>) => void;
}

/** What the model says about one operation. */
import type { OperationId } from '../../../generated/operations.js';
import type { Answer } from '../http.js';
import type { Call } from './state.js';

/** A way in which a valid request may be refused. */
export interface Refusal {
  status: number;
  /** The field that the refusal names. */
  field?: string;
}

export interface Rule {
  /** Why the request is refused whatever the state is, and before a stored answer is replayed. */
  contradictions?: (call: Call) => Refusal[];
  /** Why the state refuses the request; if there are several reasons, any of them will do. */
  refusals?: (call: Call) => Refusal[];
  /** The status of a success, for operations that have several. */
  status?: (call: Call) => number;
  /** Compares a success with the state, and changes the state as the operation does. */
  settle: (call: Call, data: never, answer: Answer) => void;
}

export type Rules = Partial<Record<OperationId, Rule>>;

export const notFound: Refusal = { status: 404 };

export function when(condition: boolean, refusal: Refusal): Refusal[] {
  return condition ? [refusal] : [];
}

/** The model's rule for one operation. */
import type { OperationId } from '../../../generated/operations.js';
import type { Answer } from '../http.js';
import type { Call } from './state.js';

/** A reason for which a valid request may be rejected. */
export interface Refusal {
  status: number;
  /** The field that the error names. */
  field?: string;
}

export interface Rule {
  /** Reasons to reject the request in any state, before a stored response is replayed. */
  contradictions?: (call: Call) => Refusal[];
  /** Reasons to reject the request in the current state; with several, any of them is accepted. */
  refusals?: (call: Call) => Refusal[];
  /** The status of a success, for operations that have several. */
  status?: (call: Call) => number;
  /** Compares a successful response with the state, and updates the state. */
  checkAndApply: (call: Call, data: never, answer: Answer) => void;
}

export type Rules = Partial<Record<OperationId, Rule>>;

export const notFound: Refusal = { status: 404 };

export function when(condition: boolean, refusal: Refusal): Refusal[] {
  return condition ? [refusal] : [];
}

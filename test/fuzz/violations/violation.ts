/** One way to violate the contract, and the expected error. */
import type fc from 'fast-check';
import type { Template } from '../template.js';

export interface Violation {
  /** For example `body name: maxLength`. */
  name: string;
  pointer: string;
  /** The expected status. */
  status: number;
  /** The field that the error names; undefined if it names none. */
  field?: string;
  values: fc.Arbitrary<unknown>;
  apply: (template: Template, value: unknown) => Template;
  /** One case is enough, because there is nothing to vary. */
  isSingle?: boolean;
}

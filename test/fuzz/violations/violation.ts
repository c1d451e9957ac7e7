/** One way to break a request, and the refusal that it must get. */
import type fc from 'fast-check';
import type { Template } from '../template.js';

export interface Violation {
  /** Such as `body name: maxLength`. */
  name: string;
  pointer: string;
  /** The status of the refusal. */
  status: number;
  /** The field that the refusal names; undefined: the whole is at fault, and no field. */
  field?: string;
  values: fc.Arbitrary<unknown>;
  apply: (template: Template, value: unknown) => Template;
  /** One case is enough: there is nothing to vary. */
  isSingle?: boolean;
}

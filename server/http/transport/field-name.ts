/** The name of a field in an error response, such as `context.user_id`. */
import { constraints } from '../../../generated/constraints.js';

const { maxLength } = constraints.FieldProblem.properties.field;

/** The fallback names the whole, which has no path of its own. */
export function fieldName(path: readonly string[], fallback: string): string {
  return (path.join('.') || fallback).slice(0, maxLength);
}

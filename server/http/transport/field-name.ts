/** The name of a field in an error response, such as `context.user_id`. */
import { constraints } from '../../../generated/constraints.js';

const { maxLength } = constraints.FieldProblem.properties.field;

/** `fallback` is the name for an empty path. */
export function fieldName(path: readonly string[], fallback: string): string {
  return (path.join('.') || fallback).slice(0, maxLength);
}

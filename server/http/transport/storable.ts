/** Finds JSON values that PostgreSQL cannot store: NUL characters, lone surrogates, infinite numbers, deep nesting. */
import type { FieldProblem } from '../../../generated/api.js';
import { fieldName } from './field-name.js';

const maxDepth = 64;

export function findUnstorable(value: unknown): FieldProblem | undefined {
  return visit(value, [], 0);
}

function visit(value: unknown, path: string[], depth: number): FieldProblem | undefined {
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { field: fieldOf(path), error: 'is too large a number' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) {
    return { field: fieldOf(path.slice(0, 3)), error: `is nested deeper than ${maxDepth} levels` };
  }
  for (const [key, inner] of Object.entries(value)) {
    const problem = checkText(key, path) ?? visit(inner, [...path, key], depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function checkText(text: string, path: string[]): FieldProblem | undefined {
  if (text.includes('\0'))
    return { field: fieldOf(path), error: 'must not contain NUL characters' };
  if (!text.isWellFormed()) {
    return { field: fieldOf(path), error: 'must not contain lone surrogates' };
  }
  return undefined;
}

function fieldOf(path: string[]): string {
  return fieldName(path, 'body');
}

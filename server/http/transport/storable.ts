/** Finds what can be read but not stored: too deep, NUL characters, lone surrogates, numbers beyond all numbers. */

const maxDepth = 64;

export interface Unstorable {
  field: string;
  error: string;
}

export function findUnstorable(value: unknown): Unstorable | undefined {
  return visit(value, [], 0);
}

function visit(value: unknown, path: string[], depth: number): Unstorable | undefined {
  if (typeof value === 'string') return inspect(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { field: fieldOf(path), error: 'is too large a number' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) {
    return { field: fieldOf(path.slice(0, 3)), error: `is nested deeper than ${maxDepth} levels` };
  }
  for (const [key, inner] of Object.entries(value)) {
    const problem = inspect(key, path) ?? visit(inner, [...path, key], depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

function inspect(text: string, path: string[]): Unstorable | undefined {
  if (text.includes('\0'))
    return { field: fieldOf(path), error: 'must not contain NUL characters' };
  if (!text.isWellFormed()) {
    return { field: fieldOf(path), error: 'must not contain lone surrogates' };
  }
  return undefined;
}

function fieldOf(path: string[]): string {
  return path.join('.').slice(0, 512) || 'body';
}

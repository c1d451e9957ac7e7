/** Finds values that can be parsed but not stored: deep nesting, NUL characters, lone surrogates, infinite numbers. */

const maxDepth = 64;

interface Unstorable {
  field: string;
  error: string;
}

export function findUnstorable(value: unknown): Unstorable | undefined {
  return visit(value, []);
}

/** Changes the path in place: copying it for each value would cost more than the checks. */
function visit(value: unknown, path: string[]): Unstorable | undefined {
  if (typeof value === 'string') return inspect(value, path);
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? undefined
      : { field: fieldOf(path), error: 'is too large a number' };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= maxDepth) {
    return { field: fieldOf(path.slice(0, 3)), error: `is nested deeper than ${maxDepth} levels` };
  }
  for (const [key, inner] of Object.entries(value)) {
    const inKey = inspect(key, path);
    if (inKey) return inKey;
    path.push(key);
    const inside = visit(inner, path);
    if (inside) return inside;
    path.pop();
  }
  return undefined;
}

function inspect(text: string, path: string[]): Unstorable | undefined {
  if (text.includes('\0')) {
    return { field: fieldOf(path), error: 'must not contain NUL characters' };
  }
  if (!text.isWellFormed()) {
    return { field: fieldOf(path), error: 'must not contain lone surrogates' };
  }
  return undefined;
}

function fieldOf(path: string[]): string {
  return path.join('.').slice(0, 512) || 'body';
}

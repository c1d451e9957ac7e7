/** Narrows the type of JSON columns. */
import type { Prisma } from '../../generated/prisma/client.js';

export function objectOf(value: Prisma.JsonValue): object | null {
  return typeof value === 'object' ? value : null;
}

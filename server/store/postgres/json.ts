/** Narrows the type of JSON columns. */
import type { Prisma } from '../../../generated/prisma/client.js';

export function objectOf(value: Prisma.JsonValue): object | null {
  return typeof value === 'object' ? value : null;
}

/** Of plain values alone, which the type of an interface does not tell. */
export function jsonOf(value: object): Prisma.InputJsonObject {
  return { ...value };
}

/** Converts between JSON columns and objects. */
import type { Prisma } from '../../generated/prisma/client.js';

export function objectOf(value: Prisma.JsonValue): object | null {
  return typeof value === 'object' ? value : null;
}

/** The object must contain only JSON values, which the type does not enforce. */
export function jsonOf(value: object): Prisma.InputJsonObject {
  return { ...value };
}

/** The permissions there are, as the contract's operations name them. */
import type { Permission } from '../../generated/api.js';
import { operations } from '../../generated/operations.js';

export const everyPermission: readonly Permission[] = [
  ...new Set(Object.values(operations).map(({ permission }) => permission)),
];

export function isPermission(name: string): name is Permission {
  return everyPermission.some((permission) => permission === name);
}

/** The permissions of the contract. */
import type { Permission } from '../../generated/api.js';
import { constraints } from '../../generated/constraints.js';

export const everyPermission: readonly Permission[] = constraints.Permission.enum;

export function isPermission(name: string): name is Permission {
  return everyPermission.some((permission) => permission === name);
}

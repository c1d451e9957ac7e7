/** The permissions of the contract. */
import type { Permission } from '../../generated/api.js';
import { enums } from '../../generated/schemas.js';

export const everyPermission: readonly Permission[] = enums.Permission;

export function isPermission(name: string): name is Permission {
  return everyPermission.some((permission) => permission === name);
}

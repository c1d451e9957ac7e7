/** The built-in roles: named sets of permissions, for manifests and the command line. */
import type { Permission } from '../../generated/api.js';
import { constraints } from '../../generated/constraints.js';

export const roles = {
  admin: constraints.Permission.enum,
  developer: ['read', 'write'],
  viewer: ['read'],
} as const satisfies Record<string, readonly Permission[]>;

type Role = keyof typeof roles;

export function isRole(name: string): name is Role {
  return Object.hasOwn(roles, name);
}

/** Permissions, roles and scopes, read from the contract. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Permission } from '../../../generated/api.js';
import { schemaNamed } from '../../helpers/service/contract.js';
import { root } from '../../helpers/programs/workspace.js';

interface ManifestSchema {
  $defs: {
    Roles: { description: string };
    OAuth2Auth: { properties: { scopes: { items: { enum: string[] } } } };
  };
}

const { $defs: manifest } = JSON.parse(
  readFileSync(path.join(root, 'generated/agent-manifest.schema.json'), 'utf8'),
) as ManifestSchema;

export const everyPermission = schemaNamed('Permission')['enum'] as Permission[];

/** The built-in roles, parsed from the description in the contract: `viewer` (read). */
export const roles: Record<string, Permission[]> = Object.fromEntries(
  [...manifest.Roles.description.matchAll(/`(\w+)` \(([a-z, ]+)\)/g)].map(
    ([, role = '', permissions = '']) => [role, permissions.split(', ') as Permission[]],
  ),
);

/** Each scope grants the permission in its name, `read:agents`, or none: `invoke:agents` grants that operation alone. */
export const scopes: Record<string, Permission[]> = Object.fromEntries(
  manifest.OAuth2Auth.properties.scopes.items.enum.map((scope) => [
    scope,
    everyPermission.filter((permission) => scope.startsWith(`${permission}:`)),
  ]),
);

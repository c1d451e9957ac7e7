/** Masks secrets in printed settings. A reference stays as it is, since it names only where the secret is. */
import type { Endpoint, JwtAuth, OAuth2Auth } from '../../generated/manifest.js';
import { parseSecretReference } from '../lib/secret-reference.js';

/** All headers of an endpoint are masked: most of them carry credentials. */
const secretSettings: readonly string[] = ['secret', 'clientSecret', 'headers'] satisfies (
  keyof JwtAuth | keyof OAuth2Auth | keyof Endpoint
)[];
const mask = '******';

export function maskSecrets(settings: object, isSecret = false): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      maskValue(value, isSecret || secretSettings.includes(name)),
    ]),
  );
}

function maskValue(value: unknown, isSecret: boolean): unknown {
  if (typeof value === 'string') {
    return isSecret && !parseSecretReference(value) ? mask : value;
  }
  if (Array.isArray(value)) return value.map((item) => maskValue(item, isSecret));
  return typeof value === 'object' && value !== null ? maskSecrets(value, isSecret) : value;
}

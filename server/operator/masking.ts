/** Hides secrets in what is printed. A reference tells where one is, which is worth knowing, and nothing of the secret. */

/** Every header that is sent to an agent's endpoint counts as one: most of them are there for that. */
const secretSettings = new Set(['secret', 'clientSecret', 'headers']);
const mask = '******';

export function maskSecrets(settings: object): object {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      maskValue(value, isSecretSetting(name)),
    ]),
  );
}

function maskValue(value: unknown, isSecret: boolean): unknown {
  if (typeof value === 'string') return isSecret || isReference(value) ? masked(value) : value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, isSecret));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      maskValue(inner, isSecret || isSecretSetting(name)),
    ]),
  );
}

function isSecretSetting(name: string): boolean {
  return secretSettings.has(name);
}

function masked(value: string): string {
  return isReference(value) ? `${mask} (from ${value.slice(2, -1)})` : mask;
}

function isReference(value: string): boolean {
  return /^\$\{(env|file):[^}]+\}$/.test(value);
}

/** The environments that mean the same for every agent. */

/** In tables, production is null, so that what most invocations leave takes no room for it. */
export const production = 'production';

/** The configuration that is not deployed. */
export const draft = 'draft';

/** As tables have it. */
export function storedEnvironment(name: string | undefined): string | null {
  return name === undefined || name === production ? null : name;
}

/** As tables have it. Undefined: every environment. */
export function environmentFilter(name: string | undefined): string | null | undefined {
  return name === undefined ? undefined : storedEnvironment(name);
}

/** Tells the values of examples apart by their form. */

/** The prefix of an id, such as `agent` of `agent_01m3v7me00f8c8623ebffsvy4c`. */
export function idPrefix(value: unknown): string | undefined {
  return typeof value === 'string' ? /^([a-z]+)_[0-7][0-9a-z]{25}$/.exec(value)?.[1] : undefined;
}

export function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}

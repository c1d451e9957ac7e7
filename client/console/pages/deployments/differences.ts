/** What differs between two configurations. */

export interface Configuration {
  model: string;
  temperature: number;
}

export interface Difference {
  field: keyof Configuration;
  from: string;
  to: string;
}

const fields: (keyof Configuration)[] = ['model', 'temperature'];

export function differencesBetween(from: Configuration, to: Configuration): Difference[] {
  return fields
    .filter((field) => from[field] !== to[field])
    .map((field) => ({ field, from: String(from[field]), to: String(to[field]) }));
}

/** The label after this one: the last number in it grows by one. */
export function nextVersion(version: string | undefined): string {
  if (version === undefined) return '1.0.0';
  const next = version.replace(/\d{1,15}(?=\D*$)/, (digits) => String(Number(digits) + 1));
  return next === version ? `${version}-2` : next;
}

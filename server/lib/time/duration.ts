/** Parses durations: a whole number and a unit, such as 90s. */
const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Returns milliseconds; undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,7})(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount !== undefined && isUnit(unit) ? Number(amount) * units[unit] : undefined;
}

function isUnit(unit: string | undefined): unit is keyof typeof units {
  return unit !== undefined && unit in units;
}

/** Maps values to positions along an axis, and chooses the values that the axis names. */

export interface Scale {
  /** From 0, at the beginning of the axis, to 1. */
  position: (value: number) => number;
  ticks: number[];
}

/** From 0 to the first tick that no value exceeds. */
export function linearScale(values: readonly number[], maxTicks = 6): Scale {
  const largest = Math.max(...values) || 1;
  const step = niceStep(largest / (maxTicks - 1));
  const count = Math.ceil(largest / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { position: (value) => value / (count * step), ticks };
}

/** 1, 2 or 5 times a power of ten, and at least as large. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** Over powers of `base`, from one that no value is below to one that no value exceeds. */
export function logScale(values: readonly number[], base: number): Scale {
  const exponent = (value: number) => Math.log(value) / Math.log(base);
  const first = Math.floor(exponent(Math.min(...values)) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(exponent(Math.max(...values)) - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => base ** (first + index));
  return { position: (value) => (exponent(value) - first) / (last - first), ticks };
}

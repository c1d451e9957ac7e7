/** Numbers on the command line. */
import { InvalidArgumentError } from 'commander';

export function number(text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
}

export function count(text: string): number {
  const value = number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

export function port(text: string): number {
  const value = number(text);
  if (Number.isInteger(value) && value >= 0 && value < 65_536) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

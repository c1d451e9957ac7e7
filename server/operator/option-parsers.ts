/** Parsers of options that several commands have. */
import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

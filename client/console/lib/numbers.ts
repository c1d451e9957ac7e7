/** Formats numbers, and nouns with their number. */
import { lazy } from './lazy.js';

const whole = lazy(() => new Intl.NumberFormat('en', { maximumFractionDigits: 0 }));
const short = lazy(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));

export function formatInteger(number: number): string {
  return whole().format(number);
}

export function formatDecimal(number: number): string {
  return short().format(number);
}

export function plural(number: number, noun: string, nouns = `${noun}s`): string {
  return `${formatInteger(number)} ${number === 1 ? noun : nouns}`;
}

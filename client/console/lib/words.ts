/** Numbers and nouns for people. */

import { once } from './once.js';

const whole = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 0 }));
const short = once(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));

export function count(number: number): string {
  return whole().format(number);
}

export function decimal(number: number): string {
  return short().format(number);
}

export function plural(number: number, noun: string, nouns = `${noun}s`): string {
  return `${count(number)} ${number === 1 ? noun : nouns}`;
}

/** Times for people: relative to now, and exact. */
import { signal } from '@preact/signals';
import { once } from './once.js';
import { plural } from './words.js';

/** The present moment, a few times a minute: enough for "2 minutes ago". */
export const now = signal(Date.now());

const tickMs = 10_000;

export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, tickMs);
  document.addEventListener('visibilitychange', tick);
}

const dayMs = 86_400_000;

/** Each up to the number from which the next one is used. Months and years are too coarse for the lifetime of most keys. */
const units: [name: string, length: number, below: number][] = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 24],
  ['day', dayMs, 100],
  ['month', 30.44 * dayMs, 24],
  ['year', 365.25 * dayMs, Infinity],
];

/** What has happened is never ahead, even if the clock of the service is: then it happened just now. */
export function timeSince(at: number, from: number): string {
  const amount = amountOf(from - at);
  return amount === undefined ? 'just now' : `${amount} ago`;
}

export function timeUntil(at: number, from: number): string {
  return `in ${amountOf(at - from) ?? 'less than a minute'}`;
}

/** Undefined: less than the smallest unit. */
function amountOf(distance: number): string | undefined {
  const unit = units.find(([, length, below]) => Math.round(distance / length) < below);
  const number = unit ? Math.round(distance / unit[1]) : 0;
  return unit && number > 0 ? plural(number, unit[0]) : undefined;
}

const exact = once(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }),
);

/** In the time zone of the reader, and in UTC as the API writes it. */
export function exactTime(at: number): string {
  return `${exact().format(at)} (${new Date(at).toISOString()})`;
}

/** Hours to milliseconds, for lines of a log of one day. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const pad = (number: number, length = 2) => String(number).padStart(length, '0');
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

const day = once(() => new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' }));

export function dayOf(at: number): string {
  return day().format(at);
}

/** As `<input type="datetime-local">` takes it. */
export function toLocalInput(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 19);
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
}

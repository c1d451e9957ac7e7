/** The current time as a signal, and formats for times and durations. */
import { signal } from '@preact/signals';
import { lazy } from './lazy.js';

/** The current time, updated a few times a minute: enough for "2 minutes ago". */
export const now = signal(Date.now());

const tickMs = 10_000;

export function startClock(): void {
  const tick = () => {
    if (!document.hidden) now.value = Date.now();
  };
  setInterval(tick, tickMs);
  document.addEventListener('visibilitychange', tick);
}

const exact = lazy(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }),
);

export function localTime(at: number): string {
  return exact().format(at);
}

/** In the local time zone, and in UTC as the API returns it. */
export function exactTime(at: number): string {
  return `${localTime(at)} (${new Date(at).toISOString()})`;
}

/** Hours to milliseconds, for log entries. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const pad = (number: number, length = 2) => String(number).padStart(length, '0');
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

const day = lazy(() => new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' }));

export function dayOf(at: number): string {
  return day().format(at);
}

/** In the format of `<input type="datetime-local">`. */
export function toLocalInput(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offset).toISOString().slice(0, 19);
}

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
}

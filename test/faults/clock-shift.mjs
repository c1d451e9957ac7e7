/** Imported into a service process to shift its clock by CLOCK_SHIFT_MS. */
const shift = Number(process.env['CLOCK_SHIFT_MS']);
const now = () => Math.floor(performance.timeOrigin + performance.now() + shift);

Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (date, /** @type {unknown[]} */ parts, target) =>
    /** @type {Date} */ (Reflect.construct(date, parts.length === 0 ? [now()] : parts, target)),
});

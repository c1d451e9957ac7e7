/** Writes many times as ISO 8601, as `toISOString` does, in a fraction of its time. */

const minuteMs = 60_000;
const dayMs = 86_400_000;
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** Of whole minutes. Quick where times follow one another, since most are of the same day as the one before. */
export function createMinuteFormat(): (time: number) => string {
  let day = NaN;
  let date = '';
  return (time) => {
    const dayOfTime = Math.floor(time / dayMs);
    if (dayOfTime !== day) {
      day = dayOfTime;
      date = new Date(day * dayMs).toISOString().replace(/T.*/, 'T');
    }
    const minutes = Math.floor((time - day * dayMs) / minuteMs);
    return `${date}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:00.000Z`;
  };
}

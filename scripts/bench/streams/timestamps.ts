/** Times that travel as text from the model to the client, whatever the service makes of the deltas in between. */

/** What the model is told to do. */
export interface Script {
  deltas: number;
  everyMs: number;
}

/** On the system's monotonic clock, which all processes share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function timestamp(ms: number): string {
  return `${ms.toFixed(3)};`;
}

export interface TimestampReader {
  /** The times in a part of a response, which may begin and end anywhere. */
  read: (text: string) => number[];
}

/** Of the events up to the last one, which repeats all of them. */
export function createTimestampReader(): TimestampReader {
  const last = 'event: done';
  let rest = '';
  let isOver = false;
  return {
    read: (text) => {
      if (isOver) return [];
      const all = rest + text;
      const end = all.indexOf(last);
      isOver = end >= 0;
      const read = isOver ? all.slice(0, end) : all;
      const found = [...read.matchAll(/(\d+\.\d{3});/g)];
      const behind = found.at(-1);
      // What may be the beginning of a time, or of the last event.
      rest = behind ? read.slice(behind.index + behind[0].length) : read;
      return found.map(([, time]) => Number(time));
    },
  };
}

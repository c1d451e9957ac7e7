/** Times that travel as text from the model to the client, through the service. */

/** What the model is told to do. */
export interface Script {
  deltas: number;
  everyMs: number;
}

/** On the monotonic clock that all processes of the machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Returns the times in each part of a response, up to the last event, which repeats all of them. */
export function createTimeReader(): (part: string) => number[] {
  let rest = '';
  let isOver = false;
  return (part) => {
    if (isOver) return [];
    const text = rest + part;
    const end = text.indexOf('event: done');
    isOver = end >= 0;
    const readable = isOver ? text.slice(0, end) : text;
    const found = [...readable.matchAll(/(\d+\.\d{3});/g)];
    const last = found.at(-1);
    rest = last ? readable.slice(last.index + last[0].length) : readable;
    return found.map(([, time]) => Number(time));
  };
}

/** Parses server-sent events from a byte stream. */

export interface ReceivedEvent {
  /** `message` where the event has no name. */
  event: string;
  data: string;
}

/** Throws a RangeError for an event that is too long. An incomplete last event is dropped, as the standard requires. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  maxEventLength: number,
): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let lines: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    for (const line of parts) {
      if (line === '') {
        const event = parseEvent(lines);
        lines = [];
        length = 0;
        if (event) yield event;
      } else {
        lines.push(line);
        length += line.length;
      }
    }
    if (length + rest.length > maxEventLength) throw new RangeError('An event is too long.');
  }
}

/** Undefined for a block without data, such as a comment that keeps the connection alive. */
function parseEvent(lines: string[]): ReceivedEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of lines) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') };
}

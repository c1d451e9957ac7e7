/** Parses server-sent events from a byte stream, in time and memory that are linear in what arrives. */

export interface ReceivedEvent {
  /** `message` where the event has no name. */
  event: string;
  data: string;
}

/** Throws a RangeError for an event that is too long. An incomplete last event is dropped, as the standard requires. */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  max: { length: number; lines: number },
): AsyncGenerator<ReceivedEvent> {
  let event = 'message';
  let data: string[] = [];
  let length = 0;
  for await (const line of readLines(chunks, max.length)) {
    if (line === '') {
      // A block of comments only keeps the connection alive.
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = 'message';
      data = [];
      length = 0;
      continue;
    }
    length += line.length;
    const { field, value } = parseLine(line);
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    if (length > max.length || data.length > max.lines) throw tooLong();
  }
}

/** Each chunk is searched once: what is left of it waits in pieces for the end of its line. */
async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let isAfterReturn = false;
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    // A line feed that begins a chunk may belong to the carriage return that ended the one before.
    const [first = '', ...others] = text
      .slice(isAfterReturn && text.startsWith('\n') ? 1 : 0)
      .split(/\r\n|\n|\r/);
    isAfterReturn = text.endsWith('\r');
    pieces.push(first);
    length += first.length;
    for (const next of others) {
      yield pieces.join('');
      pieces = [next];
      length = next.length;
    }
    if (length > maxLength) throw tooLong();
  }
}

function parseLine(line: string): { field: string; value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { field: line, value: '' };
  const start = line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1;
  return { field: line.slice(0, colon), value: line.slice(start) };
}

function tooLong(): RangeError {
  return new RangeError('An event is too long.');
}

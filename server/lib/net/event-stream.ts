/** Parses server-sent events from a byte stream. Use `limitStream` to limit the size of an event. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ResponseTooLarge } from './limit-stream.js';

export interface ReceivedEvent {
  /** `message` if the event has no name. */
  event: string;
  data: string;
}

/** The parser creates an Error for each ignored line, which takes far longer than the rest of its work. */
const maxIgnoredLines = 1_000;

/** Drops an incomplete last event, as the standard requires. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder();
  let received: EventSourceMessage[] = [];
  let ignoredLines = 0;
  const parser = createParser({
    onEvent: (message) => received.push(message),
    onError: () => {
      ignoredLines += 1;
      if (ignoredLines > maxIgnoredLines) {
        throw new ResponseTooLarge('The response has too many lines with unknown fields.');
      }
    },
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { event = 'message', data } of received) yield { event, data };
    received = [];
  }
}

/** A reply while it is being made: pieces of text, then the whole result. */
import { apiError, dataOf } from './answer.js';
import { brokenOff, failureOf, type Incoming } from './deliver.js';
import type { ErrorDetail, Invocation, InvocationDeltaEvent } from './generated/schema.js';

export type InvocationDelta = InvocationDeltaEvent['data'];

/**
 * The pieces of a reply, with `for await`. Leaving the loop cancels the invocation. The request is sent when the first
 * piece or the result is asked for.
 */
export interface InvocationStream extends AsyncIterable<InvocationDelta> {
  /** The whole result, as the plain form gives it. Reads what is left of the stream. */
  result: () => Promise<Invocation>;
}

export function streamOf(open: () => Promise<Incoming>): InvocationStream {
  let result: Invocation | undefined;
  let failure: unknown;
  const fail = (reason: unknown): never => {
    failure = reason;
    throw reason;
  };

  async function* read(): AsyncGenerator<InvocationDelta, void> {
    const incoming = await open().catch(fail);
    const [{ headers, body }, text, watch, ending] = incoming;
    let rest = '';
    try {
      if (text !== undefined || !body) {
        // A repeat of a request that was answered already gets the stored answer, which is no stream.
        result = dataOf(incoming) as Invocation;
        yield { text: result.response };
        return;
      }
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        watch();
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          // What looks otherwise is a comment that keeps the connection alive.
          const [, event, json = '0'] = /^event: (\w+)\ndata: (.+)/s.exec(block) ?? [];
          const data: unknown = JSON.parse(json);
          // The service keeps to the contract in what the data of its events is.
          if (event === 'delta') yield data as InvocationDelta;
          if (event === 'error') throw apiError(data as ErrorDetail, headers);
          if (event === 'done') {
            result = data as Invocation;
            // The end of the body follows at once; having read it, the connection can be used again.
            watch(1000);
          }
        }
      }
      demandResult();
    } catch (error) {
      if (!result) fail(failureOf(error, ending.signal));
    } finally {
      watch(-1);
      if (!result) ending.abort();
    }
  }

  const demandResult = () => result ?? fail(failure ?? brokenOff());
  const deltas = read();
  return {
    [Symbol.asyncIterator]: () => deltas,
    result: async () => {
      while (!(await deltas.next()).done);
      return demandResult();
    },
  };
}

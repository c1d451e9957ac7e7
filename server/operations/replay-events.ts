/** Replays the stored response of an operation as a stream, when a repeated request asks for one. */
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import type { OperationId } from './contract.js';

/** Undefined for a response that is never streamed, such as an error. */
export type ReplayAsEvents = (
  status: number,
  body: string,
) => AsyncIterable<InvocationEvent> | undefined;

export const replayAsEvents: Partial<Record<OperationId, ReplayAsEvents>> = {
  invokeAgent: (status, body) => {
    if (status !== 200) return undefined;
    const { data } = JSON.parse(body) as { data: Invocation };
    return toEvents(data);
  },
};

async function* toEvents(result: Invocation): AsyncGenerator<InvocationEvent> {
  if (result.response !== '') yield { event: 'delta', data: { text: result.response } };
  yield await Promise.resolve({ event: 'done', data: result });
}

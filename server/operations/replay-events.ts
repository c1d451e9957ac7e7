/** How the stored answer of an operation is told as a stream, when a repeat asks for one. */
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import type { OperationId } from './contract.js';

/** Undefined for an answer that is no stream in any case, such as an error. */
export type StoredAsEvents = (
  status: number,
  body: string,
) => AsyncIterable<InvocationEvent> | undefined;

export const storedAsEvents: Partial<Record<OperationId, StoredAsEvents>> = {
  invokeAgent: (status, body) => {
    if (status !== 200) return undefined;
    const { data } = JSON.parse(body) as { data: Invocation };
    return retell(data);
  },
};

async function* retell(result: Invocation): AsyncGenerator<InvocationEvent> {
  if (result.response !== '') yield { event: 'delta', data: { text: result.response } };
  yield await Promise.resolve({ event: 'done', data: result });
}

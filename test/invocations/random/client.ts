/** A client of random conversations: sends a turn in any of its forms, leaves in between, and repeats it with its key. */
import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import type { ErrorResponse, Invocation } from '../../../generated/api.js';
import { apiClient, type Call } from '../../helpers/service/api.js';
import { eventsOf, openStream } from '../event-reader.js';
import type { Way } from './plans.js';
import { messageOf, type Turn, untilAsked } from './turns.js';

type ErrorDetail = ErrorResponse['error'];

/** How a run ended: what a plain response and the last event of a stream have in common. */
export interface Ending {
  result: Invocation | ErrorDetail;
  /** Whether the shop had seen a refund of the turn before the request, and when its end arrived. */
  acted: { before: boolean; after: boolean };
  /** Whether other requests with the same key were under way. */
  hasCompany: boolean;
}

/** `pending`: the run of the key goes on. `lost`: the connection ended without a result. */
type Answer = Ending['result'] | 'pending' | 'lost';

export interface Addressee {
  /** The instance that takes new requests. */
  url: () => string;
  key: string;
  agentId: string;
  sessionId: string;
}

export const isError = (result: Ending['result']): result is ErrorDetail => 'code' in result;

export function callOf(turn: Turn, way: Way, { agentId, sessionId }: Addressee): Call {
  const { isKeyed } = turn.plan;
  return {
    path: { agent_id: agentId },
    body: { message: messageOf(turn), context: { session_id: sessionId } },
    headers: {
      ...(isKeyed ? { 'idempotency-key': turn.key } : {}),
      ...(way === 'async' ? { prefer: 'respond-async' } : {}),
      ...(way === 'stream' ? { prefer: 'grace=0' } : {}),
    },
  };
}

/** Sends a request in one of its forms, and waits for its end. */
export async function ask(
  to: Pick<Addressee, 'url' | 'key'>,
  way: Way,
  call: Call,
): Promise<Answer> {
  const url = to.url();
  if (way === 'stream') {
    const response = await openStream(url, to.key, call);
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      let last: Answer = 'lost';
      for await (const { event, data } of eventsOf(response)) {
        if (event === 'done' || event === 'error') last = data;
      }
      return last;
    }
    const { status } = response;
    // The contract of the answers is checked for plain requests.
    return answerOf(status, (await response.json()) as Body);
  }
  const { status, body } = await apiClient(url, to.key).call('invokeAgent', call);
  return answerOf(status, body as Body);
}

type Body = { data: Invocation } | ErrorResponse;

function answerOf(status: number, body: Body): Answer {
  if (status === 202) return 'pending';
  if ('data' in body) return body.data;
  return status === 409 && body.error.retry_after !== undefined ? 'pending' : body.error;
}

export interface AskOptions {
  hasCompany?: boolean;
  leavesAt?: number | undefined;
}

/** Sends the turn once. Resolves to undefined without a final result. */
export async function askOnce(
  turn: Turn,
  way: Way,
  to: Addressee,
  { hasCompany = false, leavesAt }: AskOptions = {},
): Promise<Ending | undefined> {
  const before = turn.effects > 0;
  const connection = new AbortController();
  let isOver = false;
  if (leavesAt !== undefined && way !== 'async') {
    const untilThen = turn.asked + leavesAt;
    void untilAsked(turn, untilThen, () => isOver).then(() => {
      connection.abort();
    });
  }
  try {
    const call = { ...callOf(turn, way, to), signal: connection.signal };
    const answer = await ask(to, way, call);
    if (answer === 'pending' || answer === 'lost') return undefined;
    return { result: answer, acted: { before, after: turn.effects > 0 }, hasCompany };
  } catch (error) {
    // The client has left, or its instance has ended.
    if (isDisconnection(error) || connection.signal.aborted) return undefined;
    throw error;
  } finally {
    isOver = true;
  }
}

/** Errors of fetch come from outside the sandbox of the tests, so `instanceof` does not know them. */
export const isDisconnection = (error: unknown) =>
  types.isNativeError(error) && /^(fetch failed|terminated)$/.test(error.message);

/** Repeats the turn until its key has a result. */
export async function askUntilSettled(turn: Turn, way: Way, to: Addressee): Promise<Ending> {
  const deadline = performance.now() + 90_000;
  for (;;) {
    const ending = await askOnce(turn, way, to);
    if (ending) return ending;
    if (performance.now() > deadline) throw new Error(`Turn ${turn.id} never ended.`);
    await delay(50);
  }
}

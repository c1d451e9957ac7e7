/** Reads the response of an `http/…` agent: one JSON object, or server-sent events in the format of this API. */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type {
  ErrorCode,
  ErrorDetail,
  Invocation,
  InvocationDeltaEvent,
} from '../../../generated/api.js';
import { readServerSentEvents } from '../../lib/net/event-stream.js';
import { limitStream } from '../../lib/net/limit-stream.js';
import { readLimited } from '../../lib/net/read-limited.js';
import { maxError, maxResponse, maxStream } from '../limits.js';
import { type Chunk, failureOfStatus, ModelFailure } from '../model.js';

const tokens = z.number().int().min(0).optional();
const invocation = z.object({
  response: z.string(),
  tokens_used: tokens,
} satisfies Shape<Invocation>);
const delta = z.object({ text: z.string() } satisfies Shape<InvocationDeltaEvent['data']>);
const error = z.object({
  code: z.string().optional(),
  retry_after: z.number().optional(),
} satisfies Shape<ErrorDetail>);

/** Property names of the contract; an agent may omit what it does not know. */
type Shape<Body> = Partial<Record<keyof Body, z.ZodType>>;

const busyCodes: readonly string[] = ['rate_limited', 'unavailable'] satisfies ErrorCode[];

/** Reads the part of an error body that arrives within the time and size limits. */
export async function readErrorText(body: Readable): Promise<string> {
  const timer = setTimeout(() => body.destroy(), maxError.ms);
  try {
    const { bytes } = await readLimited(body, maxError.bytes);
    return bytes.toString('utf8');
  } finally {
    clearTimeout(timer);
  }
}

export async function* readJsonResponse(
  received: AsyncIterable<Uint8Array>,
): AsyncGenerator<Chunk> {
  const { response, ...usage } = parse(invocation, await readText(received));
  // Before the text, so that the tokens count even if the text is rejected.
  yield* reportedTokens(usage);
  yield { text: response };
}

/** Decodes chunk by chunk, because decoding millions of characters at once would block the event loop. */
async function readText(received: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const buffer of received) text += decoder.decode(buffer, { stream: true });
  return text + decoder.decode();
}

export async function* readStreamedResponse(
  received: AsyncIterable<Uint8Array>,
): AsyncGenerator<Chunk> {
  let hasOutput = false;
  for await (const { event, data } of readServerSentEvents(received)) {
    switch (event) {
      case 'delta':
        hasOutput = true;
        yield { text: parse(delta, data).text };
        break;
      case 'done': {
        const { response = '', ...usage } = parse(invocation.partial(), data);
        yield* reportedTokens(usage);
        if (!hasOutput) yield { text: response };
        return;
      }
      case 'error':
        throw reportedFailure(parse(error, data));
    }
  }
  throw new ModelFailure("the agent's response ended early", { retryable: true });
}

function reportedTokens({ tokens_used }: { tokens_used?: number | undefined }): Chunk[] {
  return tokens_used === undefined ? [] : [{ tokensUsed: tokens_used }];
}

function reportedFailure({ code, retry_after }: z.infer<typeof error>): ModelFailure {
  const waitMs = retry_after === undefined ? undefined : retry_after * 1000;
  return code !== undefined && busyCodes.includes(code)
    ? failureOfStatus(429, waitMs, undefined, 'endpoint')
    : new ModelFailure('the agent reported an error', { retryable: true });
}

export async function* limitBody(
  body: Readable,
  { isEventStream }: { isEventStream: boolean },
  onReceived: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const limits = isEventStream ? maxStream : { ...maxStream, bytes: maxResponse.bytes };
  for await (const chunk of limitStream(body, limits, { isEventStream })) {
    onReceived(chunk.length);
    yield chunk;
  }
}

function parse<Value>(schema: z.ZodType<Value>, text: string): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new ModelFailure("the agent's response is not valid", { retryable: true });
  }
}

/**
 * The `http` provider: an agent that its owner runs behind the endpoint in the manifest. It answers with one JSON object, or with
 * server-sent events in the format of this API.
 */
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type {
  ErrorCode,
  ErrorDetail,
  Invocation,
  InvocationDeltaEvent,
} from '../../../generated/api.js';
import type { AgentEndpoint } from '../../contract/agent-options.js';
import { errorCode, hasCode } from '../../lib/errors/error-code.js';
import type { BoundedResponse } from '../../lib/net/bounded-request.js';
import { guardedRequest } from '../../lib/net/guarded-request.js';
import { readServerSentEvents } from '../../lib/net/event-stream.js';
import { limitStream, ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { readLimited } from '../../lib/net/read-limited.js';
import { retryAfterMs } from '../../lib/net/retry-after.js';
import { readHeaders, secretsIn, SecretMissing } from '../../lib/text/secret-reference.js';
import { serverAddress } from '../observer.js';
import { TargetRefused } from '../../lib/net/target-address.js';
import { errorText } from '../error-text.js';
import { maxError, maxResponse, maxStream } from '../limits.js';
import {
  failureOfStatus,
  type Model,
  ModelFailure,
  type Chunk,
  type Prompt,
  type CountReceived,
} from '../model.js';

export function httpAgent(
  endpoint: AgentEndpoint,
  { allowPrivate }: { allowPrivate: boolean },
): Model {
  return {
    server: serverAddress(endpoint.url),
    async *generate(prompt, signal, countReceived) {
      const headers = await readHeaders(endpoint.headers).catch((error: unknown) => {
        throw toModelFailure(error);
      });
      const response = await send(endpoint, headers, allowPrivate, prompt, signal);
      try {
        await assertSuccess(response, secretsIn(headers));
        yield { status: response.status };
        yield* readResponse(response, countReceived);
      } catch (error) {
        throw toModelFailure(error);
      } finally {
        response.body.destroy();
      }
    },
  };
}

async function send(
  endpoint: AgentEndpoint,
  headers: Record<string, string>,
  allowPrivate: boolean,
  { message, context, history, agent, requestId, traceHeaders }: Prompt,
  signal: AbortSignal,
): Promise<BoundedResponse> {
  try {
    return await guardedRequest(new URL(endpoint.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...traceHeaders?.(),
        ...headers,
      },
      body: JSON.stringify({
        message,
        context,
        history: history.map(({ role, content }) => ({ role, content })),
        agent,
        request_id: requestId,
      }),
      signal,
      maxBytes: maxStream.bytes,
      allowPrivate,
      ...(await readClientCertificate(endpoint)),
    });
  } catch (error) {
    throw toModelFailure(error);
  }
}

async function assertSuccess(
  { status, headers, body }: BoundedResponse,
  secrets: string[],
): Promise<void> {
  if (status >= 200 && status <= 299) return;
  const said = errorText(await readErrorText(body), secrets);
  throw failureOfStatus(status, retryAfterMs(headers), said, 'endpoint');
}

function readResponse(
  { headers, body }: BoundedResponse,
  countReceived: CountReceived,
): AsyncGenerator<Chunk> {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const isEventStream = type === 'text/event-stream';
  const received = limitBody(body, { isEventStream }, countReceived);
  return isEventStream ? readStreamedResponse(received) : readJsonResponse(received);
}

async function readClientCertificate({ clientCertificate }: AgentEndpoint) {
  if (!clientCertificate) return {};
  const [cert, key] = await Promise.all([
    readFile(clientCertificate.certFile, 'utf8'),
    readFile(clientCertificate.keyFile, 'utf8'),
  ]);
  return { cert, key };
}

function toModelFailure(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof TargetRefused) {
    return new ModelFailure(`the endpoint was refused: it ${error.reason}`, { retryable: false });
  }
  if (error instanceof SecretMissing) {
    return new ModelFailure(`a header of the endpoint: ${error.message}`, { retryable: false });
  }
  if (error instanceof ResponseTooLarge) {
    return new ModelFailure("the agent's response is too long", { retryable: false });
  }
  const code = errorCode(error);
  const isConfiguration = hasCode(error, 'ERR_INVALID_CHAR', 'ENOENT', 'EACCES');
  return new ModelFailure(
    isConfiguration
      ? `the endpoint's headers or certificate cannot be used (${code})`
      : `the connection to the endpoint failed${code === undefined ? '' : ` (${code})`}`,
    { retryable: !isConfiguration },
  );
}

const tokens = z.number().int().min(0).optional();
const invocation = z.object({
  response: z.string(),
  tokens_used: tokens,
} satisfies Shape<Invocation>);
const delta = z.object({ text: z.string() } satisfies Shape<InvocationDeltaEvent['data']>);
const errorEvent = z.object({
  code: z.string().optional(),
  retry_after: z.number().optional(),
} satisfies Shape<ErrorDetail>);

/** Property names of the contract; an agent may omit what it does not know. */
type Shape<Body> = Partial<Record<keyof Body, z.ZodType>>;

const busyCodes: readonly string[] = ['rate_limited', 'unavailable'] satisfies ErrorCode[];

/** Reads the part of an error body that arrives within the time and size limits. */
async function readErrorText(body: Readable): Promise<string> {
  const timer = setTimeout(() => body.destroy(), maxError.ms);
  try {
    const { bytes } = await readLimited(body, maxError.bytes);
    return bytes.toString('utf8');
  } finally {
    clearTimeout(timer);
  }
}

async function* readJsonResponse(received: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
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

async function* readStreamedResponse(received: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk> {
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
        throw reportedFailure(parse(errorEvent, data));
    }
  }
  throw new ModelFailure("the agent's response ended early", { retryable: true });
}

function reportedTokens({ tokens_used }: { tokens_used?: number | undefined }): Chunk[] {
  return tokens_used === undefined ? [] : [{ tokensUsed: tokens_used }];
}

function reportedFailure({ code, retry_after }: z.infer<typeof errorEvent>): ModelFailure {
  const waitMs = retry_after === undefined ? undefined : retry_after * 1000;
  return code !== undefined && busyCodes.includes(code)
    ? failureOfStatus(429, waitMs, undefined, 'endpoint')
    : new ModelFailure('the agent reported an error', { retryable: true });
}

async function* limitBody(
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

/** The `http` provider: an agent that its owner runs behind the endpoint in the manifest. */
import { readFile } from 'node:fs/promises';
import type { AgentEndpoint } from '../../contract/agent-options.js';
import { errorCode, hasCode } from '../../lib/errors/error-code.js';
import type { BoundedResponse } from '../../lib/net/bounded-request.js';
import { guardedRequest } from '../../lib/net/guarded-request.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { retryAfterMs } from '../../lib/net/retry-after.js';
import { readHeaders, secretsIn, SecretMissing } from '../../lib/text/secret-reference.js';
import { serverAddress } from '../observer.js';
import { TargetRefused } from '../../lib/net/target-address.js';
import { errorText } from '../error-text.js';
import { maxStream } from '../limits.js';
import {
  failureOfStatus,
  type Model,
  ModelFailure,
  type Chunk,
  type Prompt,
  type CountReceived,
} from '../model.js';
import {
  limitBody,
  readErrorText,
  readJsonResponse,
  readStreamedResponse,
} from './http-response.js';

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

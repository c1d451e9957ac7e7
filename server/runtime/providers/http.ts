/** The user's own agent, behind an HTTP endpoint that the operator named in its manifest. */
import { readFile } from 'node:fs/promises';
import type { AgentEndpoint } from '../../lib/agent-endpoint.js';
import { errorCode } from '../../lib/error-code.js';
import { type GuardedResponse, guardedRequest } from '../../lib/guarded-request.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import { readSecret, SecretMissing } from '../../lib/secret-reference.js';
import { TargetRefused } from '../../lib/target-address.js';
import { failureOfStatus, type Model, ModelFailure, type Piece, type Prompt } from '../model.js';
import { readJsonAnswer, readStreamedAnswer } from './http-answer.js';

export function httpAgent(
  endpoint: AgentEndpoint,
  { allowPrivate }: { allowPrivate: boolean },
): Model {
  return { generate: (prompt, signal) => ask(endpoint, allowPrivate, prompt, signal) };
}

async function* ask(
  endpoint: AgentEndpoint,
  allowPrivate: boolean,
  prompt: Prompt,
  signal: AbortSignal,
): AsyncGenerator<Piece> {
  const response = await send(endpoint, allowPrivate, prompt, signal);
  try {
    yield* read(response);
  } catch (fault) {
    throw explain(fault);
  } finally {
    response.body.destroy();
  }
}

async function send(
  endpoint: AgentEndpoint,
  allowPrivate: boolean,
  { message, context, history, agent, requestId }: Prompt,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  try {
    return await guardedRequest(new URL(endpoint.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...(await readHeaders(endpoint)),
      },
      body: JSON.stringify({ message, context, history, agent, request_id: requestId }),
      signal,
      allowPrivate,
      ...(await readCertificate(endpoint)),
    });
  } catch (fault) {
    throw explain(fault);
  }
}

function read({ status, headers, body }: GuardedResponse): AsyncGenerator<Piece> {
  if (status < 200 || status > 299) throw failureOfStatus(status, retryAfterMs(headers));
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'text/event-stream' ? readStreamedAnswer(body) : readJsonAnswer(body);
}

async function readHeaders({ headers = {} }: AgentEndpoint): Promise<Record<string, string>> {
  const entries = Object.entries(headers).map(
    async ([name, reference]) => [name, await readSecret(reference)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

async function readCertificate({ clientCertificate }: AgentEndpoint) {
  if (!clientCertificate) return {};
  const [cert, key] = await Promise.all([
    readFile(clientCertificate.certFile, 'utf8'),
    readFile(clientCertificate.keyFile, 'utf8'),
  ]);
  return { cert, key };
}

function explain(fault: unknown): ModelFailure {
  if (fault instanceof ModelFailure) return fault;
  if (fault instanceof TargetRefused) {
    return new ModelFailure(`the endpoint was refused: it ${fault.reason}`, { retryable: false });
  }
  if (fault instanceof SecretMissing) {
    return new ModelFailure(`a header of the endpoint: ${fault.message}`, { retryable: false });
  }
  const code = errorCode(fault);
  const isOurs = code !== undefined && ['ERR_INVALID_CHAR', 'ENOENT', 'EACCES'].includes(code);
  return new ModelFailure(
    isOurs
      ? `the endpoint's headers or certificate cannot be used (${code})`
      : `the connection to the endpoint failed${code === undefined ? '' : ` (${code})`}`,
    { retryable: !isOurs },
  );
}

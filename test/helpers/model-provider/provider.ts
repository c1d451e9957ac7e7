/**
 * A model provider on loopback that is as strict as the real ones: it validates every request to Chat Completions, Responses
 * and Messages, answers an invalid one as they do, and otherwise does what a test has scripted.
 */
import { once } from 'node:events';
import http, {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { eventually } from '../eventually.js';
import { checkChat } from './check-chat.js';
import { checkMessages } from './check-messages.js';
import { checkResponses, type IssuedItems } from './check-responses.js';
import { tooLong } from './context-window.js';
import { rejecting } from './failures.js';
import { isObject, type Json, objectOf, textOf } from './json.js';
import { type ModelPrompt, promptOf } from './prompts.js';
import { createRateLimiter } from './rate-limit.js';
import type { Behaviour, Received } from './received.js';
import { type ApiName, Rejection } from './rejection.js';
import { type Reply, reply, voiceFor } from './reply.js';
import {
  defaultSettings,
  type Limits,
  limitsOf,
  type ProviderSettings,
  type ServerKind,
} from './settings.js';
import { setContext } from './voice.js';

/** A behaviour, a reply, or the text of one. */
export type Step = Behaviour | Reply | string;

export interface ModelProvider {
  url: string;
  /** Since the last script, including those that were rejected. */
  received: Received[];
  /** The requests to models since the last script that were not rejected. */
  prompts: () => ModelPrompt[];
  /** Waits for this many requests. */
  asked: (times: number, withinMs?: number) => Promise<void>;
  /** Sets what happens to the next valid requests, in order; the last step is repeated. */
  behave: (...steps: Step[]) => void;
  /** Until the end of the test. */
  configure: (settings: Partial<ProviderSettings>) => void;
  /** How many requests the rate limit has let pass or rejected, since it was configured. */
  readonly passed: { accepted: number; rejected: number };
  /** Invalid requests since the last test. Those that were too long or too many do not count. */
  invalid: { request: Received; rejection: Rejection }[];
  /** States that this test causes invalid requests, and with which errors. */
  expectRejections: (...messages: (string | RegExp)[]) => void;
  /** Throws if there were invalid requests that the test did not expect, or none that it did, and restores the settings. */
  endTest: () => void;
  stop: () => Promise<void>;
}

/** Chooses each reply by the request. */
export function replyTo(choose: (prompt: ModelPrompt, request: Received) => Step): Behaviour {
  return (res, request) => behaviourOf(choose(request.prompt(), request))(res, request);
}

function behaviourOf(step: Step): Behaviour {
  if (typeof step === 'function') return step;
  return reply(typeof step === 'string' ? { text: step } : step);
}

function apiOf(path: string): ApiName | undefined {
  const { pathname } = new URL(path, 'http://localhost');
  if (pathname.endsWith('/chat/completions')) return 'chat';
  if (pathname.endsWith('/responses')) return 'responses';
  return pathname.endsWith('/messages') ? 'messages' : undefined;
}

export async function startModelProvider(
  options: Partial<ProviderSettings> = {},
): Promise<ModelProvider> {
  const received: Received[] = [];
  let settings: ProviderSettings = { ...defaultSettings, ...options };
  let steps: Behaviour[] = [];
  let limiter = createRateLimiter();
  let expected: (string | RegExp)[] | undefined;
  let ids = 0;
  const issued = new Map<string, string>();
  const nextId = () => (ids += 1);

  const react = async (res: ServerResponse, request: Received): Promise<void> => {
    const { api, body } = request;
    if (api) {
      const json = objectOf(body);
      const limits = limitsOf(settings, textOf(json['model']));
      setContext(res, {
        // The version that answers, as from a name without one.
        model: `${limits.name}-2026-01-01`,
        input: 5,
        reportsUsage: objectOf(json['stream_options'])['include_usage'] === true,
        nextId,
        issue: (item, reasoning) => issued.set(item, reasoning),
      });
      const { requestsPerSecond: rate } = settings;
      const excess = rate === undefined ? undefined : limiter.take(rate, api, limits.name);
      const mistake = excess ? undefined : mistakeIn(request, api, { limits, issued });
      if (mistake) provider.invalid.push({ request, rejection: mistake });
      const problem = excess ?? mistake;
      if (problem) return reject(res, request, problem);
      const overflow = tooLong(api, json, limits);
      if (overflow) {
        request.rejection = overflow;
        if (limits.overflow === 'status') return reject(res, request, overflow);
        voiceFor(res, request).fail(overflow);
        return;
      }
    }
    const step = steps.length > 1 ? steps.shift() : steps[0];
    await step?.(res, request);
  };

  const server = http.createServer((req, res) => {
    // A test may write to a response that its client has given up.
    res.on('error', () => undefined);
    void (async () => {
      const request = await receive(req, res, settings.kind);
      received.push(request);
      await react(res, request);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const provider: ModelProvider = {
    url: `http://127.0.0.1:${port}`,
    received,
    prompts: () =>
      received.filter(({ api, rejection }) => api && !rejection).map(({ prompt }) => prompt()),
    asked: (times, withinMs) =>
      eventually(() => {
        if (received.length < times) throw new Error(`It got ${received.length} requests.`);
      }, withinMs),
    behave: (...next) => {
      steps = next.map(behaviourOf);
      received.length = 0;
    },
    configure: (changes) => {
      settings = { ...settings, ...changes };
      if ('requestsPerSecond' in changes) limiter = createRateLimiter();
    },
    get passed() {
      return limiter;
    },
    invalid: [],
    expectRejections: (...messages) => {
      expected = messages;
    },
    endTest: () => {
      const reasons = provider.invalid.splice(0).map(({ rejection }) => rejection.message);
      const awaited = expected;
      expected = undefined;
      settings = { ...defaultSettings, ...options };
      assertExpected(reasons, awaited);
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

async function receive(
  req: IncomingMessage,
  res: ServerResponse,
  kind: ServerKind,
): Promise<Received> {
  const text = await readText(req);
  const path = req.url ?? '';
  const api = apiOf(path);
  const body: unknown = JSON.parse(text);
  return {
    path,
    headers: req.headers,
    body,
    api,
    kind,
    prompt: () => promptOf(api ?? 'chat', objectOf(body)),
    closed: once(res, 'close').then(() => undefined),
    wasAborted: () => res.closed && !res.writableFinished,
  };
}

function reject(
  res: ServerResponse,
  request: Received,
  rejection: Rejection,
): void | Promise<void> {
  request.rejection = rejection;
  return rejecting(rejection)(res, request);
}

interface CheckContext {
  limits: Limits;
  issued: IssuedItems;
}

function mistakeIn(
  { headers, body }: Received,
  api: ApiName,
  context: CheckContext,
): Rejection | undefined {
  try {
    checkHeaders(headers, api);
    if (!isObject(body)) throw new Rejection('Invalid body: expected an object.');
    check(api, body, context);
    if (body['stream'] !== true) {
      throw new Rejection('This provider only streams.', { status: 501 });
    }
    return undefined;
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}

function check(api: ApiName, body: Json, { limits, issued }: CheckContext): void {
  if (api === 'chat') checkChat(body, limits);
  else if (api === 'responses') checkResponses(body, limits, issued);
  else checkMessages(body, limits);
}

/** A server of the Chat Completions API may do without a key. */
function checkHeaders(headers: IncomingHttpHeaders, api: ApiName): void {
  if (api === 'messages') {
    if (headers['x-api-key'] === undefined) {
      throw new Rejection('x-api-key header is required', {
        status: 401,
        type: 'authentication_error',
      });
    }
    if (headers['anthropic-version'] === undefined) {
      throw new Rejection('anthropic-version: header is required');
    }
  }
  if (api === 'responses' && headers.authorization === undefined) {
    throw new Rejection("You didn't provide an API key.", { status: 401 });
  }
}

function assertExpected(
  reasons: readonly string[],
  expected: readonly (string | RegExp)[] | undefined,
): void {
  const fits = (reason: string) =>
    expected?.length === 0 ||
    expected?.some((part) =>
      typeof part === 'string' ? reason.includes(part) : part.test(reason),
    );
  const unexpected = reasons.filter((reason) => !fits(reason));
  if (unexpected.length > 0) {
    throw new Error(
      `The service sent requests that a real provider rejects:\n${[...new Set(unexpected)].join('\n')}`,
    );
  }
  if (expected && reasons.length === 0) {
    throw new Error('The test expects that the provider rejects a request, but it rejected none.');
  }
}

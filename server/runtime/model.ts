/** The interface to a model: a prompt goes in, chunks of text, a token count and calls of tools come out. */
import type { MemoryMatch } from '../../generated/api.js';
import { ExpectedError } from '../lib/errors/expected-error.js';
import type { ModelUsage, ServerAddress, TraceHeaders } from '../observability/telemetry.js';

export interface Message {
  role: MemoryMatch['role'];
  content: string;
}

export interface Prompt {
  instructions: string;
  temperature: number;
  /** Earlier messages of the session, oldest first. */
  history: readonly Message[];
  message: string;
  /** The tools that the model may call. Only language models get them, and the two that follow. */
  tools?: readonly ToolDefinition[];
  /** False: the model must answer now. */
  mayCallTools?: boolean;
  /** What has happened since the message. */
  steps?: readonly Step[];
  /** The JSON Schema that the response must fit. */
  outputSchema?: object;
  /** The remaining fields are sent to `http/…` agents only, not to language models. */
  context: Readonly<Record<string, unknown>>;
  agent: { id: string; name: string };
  requestId: string;
  traceHeaders?: () => TraceHeaders;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** The JSON Schema of the arguments. */
  parameters: object;
}

export interface ToolCall {
  /** As the provider names it. */
  id: string;
  name: string;
  arguments: unknown;
}

export interface ToolResult {
  call: ToolCall;
  succeeded: boolean;
  text: string;
}

/** What the model said when it called tools, in a form of its own, which it gets back as it is. */
export type Reply = Readonly<Record<string, unknown>>[];

/** A call of the model that did not end the conversation. */
export type Step =
  | { reply: Reply; results: readonly ToolResult[] }
  /** Its response was sent back. */
  | { response: string; correction: string };

/**
 * The status of the response, if it is one of HTTP; texts; the number of input and output tokens as far as it is known by then, of which the last one counts; at the end,
 * if the model wants tools to be called before it goes on, which.
 */
export type Chunk =
  { status: number } | { text: string } | ModelUsage | { toolCalls: ToolCall[]; reply: Reply };

/** What a call ended with: nothing more, or calls of tools that it waits for. */
export type CallEnd = { toolCalls: ToolCall[]; reply: Reply } | undefined;

/** Counts the bytes of a response as they are received. May abort the signal and throw. */
export type CountReceived = (bytes: number) => void;

export interface Model {
  /** Undefined for a model that is built in. */
  server?: ServerAddress;
  /**
   * Throws a ModelFailure when the call fails, and stops when the signal aborts. A model that collects a response
   * before it has text of it counts what it receives.
   */
  generate: (
    prompt: Prompt,
    signal: AbortSignal,
    countReceived: CountReceived,
  ) => AsyncIterable<Chunk> | Iterable<Chunk>;
}

/** Splits `provider/name`; the name may contain further slashes. */
export function parseModelName(model: string): { provider: string; name: string } {
  const slash = model.indexOf('/');
  return { provider: model.slice(0, slash), name: model.slice(slash + 1) };
}

/** What failed: a model provider, the endpoint of an `http/…` agent, or an MCP server. */
export type Upstream = 'provider' | 'endpoint' | 'MCP server';

export interface FailureDetails {
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** Whether the provider refused the call because of its rate limit. */
  rateLimited?: boolean;
  /** How long the provider asks to wait. */
  retryAfterMs?: number | undefined;
  /** The HTTP status that is the failure. */
  status?: number | undefined;
  /** What the other side said of it, which may repeat the message of a user; without secrets. */
  said?: string | undefined;
  upstream?: Upstream;
}

/** The message is the service's own, for the agent's log. */
export class ModelFailure extends ExpectedError {
  override readonly name = 'ModelFailure';
  readonly retryable: boolean;
  readonly rateLimited: boolean;
  readonly retryAfterMs: number | undefined;
  readonly said: string | undefined;
  readonly status: number | undefined;
  /** Set by the call of the model, which knows it wherever the failure arose. */
  upstream: Upstream;

  constructor(
    message: string,
    {
      retryable,
      rateLimited = false,
      retryAfterMs,
      status,
      said,
      upstream = 'provider',
    }: FailureDetails,
  ) {
    super(message);
    this.status = status;
    this.said = said;
    this.retryable = retryable;
    this.rateLimited = rateLimited;
    this.retryAfterMs = retryAfterMs;
    this.upstream = upstream;
  }
}

/** The failure for an HTTP status, with what the other side said of it. */
export function failureOfStatus(
  status: number,
  retryAfterMs: number | undefined,
  said?: string,
  upstream: Upstream = 'provider',
): ModelFailure {
  const rateLimited = status === 429;
  // Other client errors are permanent: the same request fails again.
  const retryable = rateLimited || status >= 500 || status === 408 || status === 409;
  const wait =
    retryAfterMs === undefined ? '' : ` and asks to wait ${Math.ceil(retryAfterMs / 1000)} s`;
  return new ModelFailure(`the ${upstream} answered with status ${status}${wait}`, {
    retryable,
    rateLimited,
    retryAfterMs,
    status,
    said,
    upstream,
  });
}

/** The interface to a model: a prompt goes in; chunks of text, token counts and tool calls come out. */
import type { FinishReason, MemoryMatch } from '../../generated/api.js';
import type { AgentOptions } from '../contract/agent-options.js';
import { ExpectedError } from '../lib/errors/expected-error.js';
import type { ModelUsage, ServerAddress, TraceHeaders } from './observer.js';

export interface Message {
  role: MemoryMatch['role'];
  content: string;
  /** Of an answer: the tool calls that led to it. */
  calls?: readonly RememberedCall[] | undefined;
  /** Of an answer: it reached the output limit. */
  isCut?: boolean | undefined;
}

/** A tool call of an earlier turn, in no provider's format, because another model may serve the next turn. */
export interface RememberedCall {
  id: string;
  name: string;
  arguments: object;
  succeeded: boolean;
  /** Shortened. */
  result: string;
}

export interface Prompt {
  instructions: string;
  /** Undefined: the model's own default. */
  temperature?: number | undefined;
  maxOutputTokens?: number | undefined;
  reasoning?: AgentOptions['reasoning'];
  /** Earlier messages of the session, oldest first. */
  history: readonly Message[];
  message: string;
  /** A summary of the turns before the history. */
  summary?: string | undefined;
  /** Whether a later call is likely to begin with the same prompt, because the message belongs to a session. */
  isSession?: boolean;
  /** Like the next three fields, for language models only. */
  tools?: readonly ToolDefinition[];
  /** If false, the model must answer now. */
  mayCallTools?: boolean;
  /** The tool calls and corrections since the message. */
  steps?: readonly Step[];
  /** The JSON Schema that the response must fit. */
  outputSchema?: object;
  /** Like the remaining fields, for `http/…` agents only. */
  context: Readonly<Record<string, unknown>>;
  agent: { id: string; name: string };
  requestId: string;
  traceHeaders?: () => TraceHeaders;
}

/** The tokens by kind; those that a model does not report are undefined. */
export type TokenUsage = Pick<
  ModelUsage,
  'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'reasoningTokens'
>;

export interface ToolDefinition {
  name: string;
  description: string;
  /** The JSON Schema of the arguments. */
  parameters: object;
}

export interface ToolCall {
  /** The provider's id of the call. */
  id: string;
  name: string;
  arguments: unknown;
  /** The text of arguments that are not a JSON object. */
  malformed?: string | undefined;
}

export interface ToolResult {
  call: ToolCall;
  succeeded: boolean;
  text: string;
}

/** The model's message with its tool calls, in the provider's format. It is sent back as it is. */
export type Reply = Readonly<Record<string, unknown>>[];

/** What follows the message in a conversation. */
export type Step =
  | { reply: Reply; results: readonly ToolResult[] }
  /** The response did not fit the output schema. */
  | { response: string; correction: string }
  /** The user said more, after calls that had waited for the user. */
  | { said: string };

/**
 * When the response begins, that the call was accepted; the HTTP status, if there is one; text; the tokens used so far, each report
 * replacing the one before; settings that the provider changed; and the end, which a model that always completes its answers may
 * leave out.
 */
export type Chunk =
  | { accepted: true }
  | { status: number }
  | { text: string }
  | ModelUsage
  | { changed: string }
  | CallEnd;

/** How a model's reply ended. */
export interface CallEnd {
  ended: Exclude<FinishReason, 'steps'>;
  /** The tool calls that the model waits for; none if it has answered. */
  toolCalls: ToolCall[];
  reply: Reply;
  /** How many calls are not to be made, because the provider stopped the reply or the model had to answer. */
  withheldCalls: number;
}

/** Counts the bytes of a response as they arrive. May abort the signal and throw. */
export type CountReceived = (bytes: number) => void;

export interface Model {
  /** Undefined for a built-in model. */
  server?: ServerAddress;
  /**
   * Throws a ModelFailure when the call fails, and stops when the signal aborts. A model that buffers data before it yields
   * text must report it to `countReceived`.
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

/** The other side of a failed call. `endpoint` is that of an `http/…` agent. */
export type Upstream = 'provider' | 'endpoint' | 'MCP server';

/** What a failure is about, if that matters to the caller. `quota` is the operator's, with the provider. */
export type FailureKind = 'quota' | 'context_length' | 'overloaded';

interface FailureDetails {
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** Whether the provider rejected the call because of its rate limit. */
  rateLimited?: boolean;
  kind?: FailureKind | undefined;
  /** The delay that the provider asks for. */
  retryAfterMs?: number | undefined;
  /** The HTTP status of an error response. */
  status?: number | undefined;
  /** The error message of the other side, without secrets. It may quote a user's message. */
  said?: string | undefined;
  upstream?: Upstream;
  /** The message for the caller, where it can say more than that the other side failed. */
  explanation?: string | undefined;
}

/** `message` is the service's own description, for the agent's log. */
export class ModelFailure extends ExpectedError {
  override readonly name = 'ModelFailure';
  readonly retryable: boolean;
  readonly rateLimited: boolean;
  readonly kind: FailureKind | undefined;
  readonly retryAfterMs: number | undefined;
  readonly said: string | undefined;
  readonly status: number | undefined;
  readonly explanation: string | undefined;
  /** Set by the caller of the model when it gives up after a retry. */
  wasRetried = false;
  /** Corrected by the caller of the model, which knows whether it is an endpoint. */
  upstream: Upstream;

  constructor(
    message: string,
    {
      retryable,
      rateLimited = false,
      kind,
      retryAfterMs,
      status,
      said,
      upstream = 'provider',
      explanation,
    }: FailureDetails,
  ) {
    super(message);
    this.status = status;
    this.said = said;
    this.retryable = retryable;
    this.rateLimited = rateLimited;
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.upstream = upstream;
    this.explanation = explanation;
  }
}

/** The failure for an HTTP error status. */
export function failureOfStatus(
  status: number,
  retryAfterMs: number | undefined,
  said?: string,
  upstream: Upstream = 'provider',
): ModelFailure {
  const rateLimited = status === 429;
  // Other client errors are permanent, since the same request would fail again.
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

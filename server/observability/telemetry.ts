/**
 * The interface through which the service reports its work. Each piece of work is a scope, which begins with the work and must be
 * ended once. Callers know nothing of metrics and traces; this folder derives both from their reports.
 */
import type { SpanContext } from '@opentelemetry/api';

/** A position in a trace; undefined if tracing is off. */
export type Trace = SpanContext | undefined;

/** W3C trace context headers for outgoing requests. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface Telemetry {
  request: (request: ReceivedRequest) => RequestScope;
  invocation: (invocation: StartedInvocation) => InvocationScope;
  delivery: (delivery: StartedDelivery) => DeliveryScope;
  leaseLost: (lease: LeaseKind) => void;
  /** Registers a background task. Returns a function that reports a successful run. */
  task: (name: string) => () => void;
}

/** The part of an Express request that telemetry reads. */
export interface ReceivedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly secure: boolean;
  /** The Host header, possibly with a port. */
  readonly host: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface RequestScope {
  trace: Trace;
  end: (response: SentResponse) => void;
}

export interface SentResponse {
  /** Undefined if the request matched no operation of the contract. */
  operation: { operationId: string; path: string } | undefined;
  status: number;
  /** Whether the client disconnected before the response was complete. */
  isAborted: boolean;
  accountId: string | undefined;
}

export interface StartedInvocation {
  requestId: string;
  agent: { id: string; name: string; accountId: string; model: string };
  sessionId: string | null;
  mode: 'synchronous' | 'asynchronous';
  /** The request's position. */
  trace?: Trace;
  /** Whether the session and the texts must not be stored. */
  isPrivate: boolean;
  message: string;
}

export interface InvocationScope {
  trace: Trace;
  /** For connections that stay open for the whole invocation. */
  headers: TraceHeaders;
  modelCall: (call: StartedModelCall) => ModelCallScope;
  /** A failed call is repeated with the same model or with the next one. */
  modelRetried: (kind: 'retry' | 'fallback') => void;
  toolCall: (call: StartedToolCall) => ToolCallScope;
  end: (outcome: InvocationEnd) => void;
}

/** Undefined if there is no outcome: the invocation will run again, possibly in another process. */
export type InvocationEnd =
  | { status: 'succeeded'; model: string; response: string; tokensUsed: number }
  | { status: 'failed'; code: string; tokensUsed: number | null }
  | undefined;

export interface StartedModelCall {
  /** `provider/name`. */
  model: string;
  prompt: {
    instructions: string;
    temperature?: number | undefined;
    history: readonly { role: string; content: string }[];
    message: string;
  };
}

export interface ModelCallScope {
  headers: TraceHeaders;
  /** Receives pieces of the response; undefined unless spans contain texts. */
  text?: (piece: string) => void;
  end: (outcome: ModelCallOutcome, usage: ModelUsage, provider: CalledProvider) => void;
}

/** The known details of the called server; empty for a built-in model. */
export interface CalledProvider {
  server?: ServerAddress | undefined;
  /** The HTTP status of the response. */
  status?: number | undefined;
}

export interface ServerAddress {
  host: string;
  port: number;
}

export const modelCallOutcomes = ['succeeded', 'failed', 'rate_limited', 'interrupted'] as const;
export type ModelCallOutcome = (typeof modelCallOutcomes)[number];

/** Some models report only the sum of input and output tokens. */
export interface ModelUsage {
  tokensUsed: number;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** Part of the input tokens. */
  cachedInputTokens?: number | undefined;
  /** Part of the output tokens. */
  reasoningTokens?: number | undefined;
  finishReason?: string | undefined;
  /** The provider's own name, which may be more specific than the requested one. */
  responseModel?: string | undefined;
}

export interface StartedToolCall {
  id: string;
  name: string;
  arguments: unknown;
}

export interface ToolCallScope {
  headers: TraceHeaders;
  end: (result: { outcome: ToolOutcome; text: string }) => void;
}

/** `unknown`: the model asked for a tool that does not exist. */
export const toolOutcomes = ['succeeded', 'failed', 'unknown', 'interrupted'] as const;
type ToolOutcome = (typeof toolOutcomes)[number];

interface StartedDelivery {
  eventId: string;
  webhookId: string;
  requestId: string;
  type: string;
  host: string;
  attempt: number;
  /** The position of the invocation that the event is about. */
  trace?: Trace;
}

interface DeliveryScope {
  headers: TraceHeaders;
  /** Undefined if the attempt was interrupted and will be repeated. */
  end: (result: { outcome: DeliveryOutcome; status: number | null } | undefined) => void;
}

/** `retried`: the attempt failed and will be repeated; `failed`: it was the last one; `disabled`: no attempt was made. */
export const deliveryOutcomes = ['delivered', 'retried', 'failed', 'gone', 'disabled'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

export const leaseKinds = ['session', 'invocation', 'delivery'] as const;
type LeaseKind = (typeof leaseKinds)[number];

const noop = () => undefined;
const noHeaders: TraceHeaders = {};
const noopCall = { headers: noHeaders, end: noop };

export const noopInvocation: InvocationScope = {
  trace: undefined,
  headers: noHeaders,
  modelCall: () => noopCall,
  modelRetried: noop,
  toolCall: () => noopCall,
  end: noop,
};

const noopRequest: RequestScope = { trace: undefined, end: noop };

export const noopTelemetry: Telemetry = {
  request: () => noopRequest,
  invocation: () => noopInvocation,
  delivery: () => noopCall,
  leaseLost: noop,
  task: () => noop,
};

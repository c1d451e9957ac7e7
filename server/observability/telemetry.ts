/**
 * What the service reports about its work. Each piece of work is a scope, which begins with the work and must be ended once.
 * The code that reports knows neither metrics nor traces; `observability/` makes both of what it reports.
 */
import type { SpanContext } from '@opentelemetry/api';

/** The place of something in a trace; undefined if tracing is off. */
export type Trace = SpanContext | undefined;

/** The headers of W3C trace context, for outgoing requests. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface Telemetry {
  request: (request: ReceivedRequest) => RequestScope;
  invocation: (invocation: StartedInvocation) => InvocationScope;
  delivery: (delivery: StartedDelivery) => DeliveryScope;
  leaseLost: (lease: LeaseKind) => void;
  /** Announces a background task. Returns the function that reports a successful run of it. */
  task: (name: string) => () => void;
}

/** A request of Express, of which only what is needed is read. */
export interface ReceivedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly secure: boolean;
  /** As the client names it, with the port if there is one. Undefined if it names none. */
  readonly host: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface RequestScope {
  trace: Trace;
  end: (response: SentResponse) => void;
}

export interface SentResponse {
  /** Undefined if the request was for no operation of the contract. */
  operation: { operationId: string; path: string } | undefined;
  status: number;
  /** Whether the client left before the response was complete. */
  isAborted: boolean;
  accountId: string | undefined;
}

export interface StartedInvocation {
  requestId: string;
  agent: { id: string; name: string; accountId: string; model: string; temperature: number };
  sessionId: string | null;
  mode: 'synchronous' | 'asynchronous';
  /** The place of the request. */
  trace?: Trace;
  /** Whether the session and the texts must not be kept. */
  isPrivate: boolean;
  message: string;
}

export interface InvocationScope {
  trace: Trace;
  /** For connections that last as long as the invocation. */
  headers: TraceHeaders;
  modelCall: (call: StartedModelCall) => ModelCallScope;
  /** A failed call is repeated with the same model or with the next one. */
  modelRetried: (kind: 'retry' | 'fallback') => void;
  toolCall: (call: StartedToolCall) => ToolCallScope;
  end: (outcome: InvocationEnd) => void;
}

/** Undefined: it has no outcome, and will be run again, possibly by another process. */
export type InvocationEnd =
  | { status: 'succeeded'; model: string; response: string; tokensUsed: number }
  | { status: 'failed'; code: string; tokensUsed: number | null }
  | undefined;

export interface StartedModelCall {
  /** `provider/name`. */
  model: string;
  prompt: {
    instructions: string;
    temperature: number;
    history: readonly { role: string; content: string }[];
    message: string;
  };
}

export interface ModelCallScope {
  headers: TraceHeaders;
  /** Receives the response; undefined unless spans contain texts. */
  text?: (piece: string) => void;
  end: (outcome: ModelCallOutcome, usage: ModelUsage, provider: CalledProvider) => void;
}

/** The other side of a call, as far as it is known; a model that is built in has none. */
export interface CalledProvider {
  server?: ServerAddress | undefined;
  /** The HTTP status of its response. */
  status?: number | undefined;
}

export interface ServerAddress {
  host: string;
  port: number;
}

export const modelCallOutcomes = ['succeeded', 'failed', 'rate_limited', 'interrupted'] as const;
export type ModelCallOutcome = (typeof modelCallOutcomes)[number];

/** Some models only report the sum. */
export interface ModelUsage {
  tokensUsed: number;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  finishReason?: string | undefined;
  /** As the provider names it, which may be more exact than the name in the request. */
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
export type ToolOutcome = (typeof toolOutcomes)[number];

export interface StartedDelivery {
  eventId: string;
  webhookId: string;
  requestId: string;
  type: string;
  host: string;
  attempt: number;
  /** The place of the invocation that the event is about. */
  trace?: Trace;
}

export interface DeliveryScope {
  headers: TraceHeaders;
  /** Undefined: the attempt was interrupted, and is made again. */
  end: (result: { outcome: DeliveryOutcome; status: number | null } | undefined) => void;
}

/** `retried`: it failed, and there will be another attempt; `failed`: it was the last one; `disabled`: none was made. */
export const deliveryOutcomes = ['delivered', 'retried', 'failed', 'gone', 'disabled'] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

export const leaseKinds = ['session', 'invocation', 'delivery'] as const;
export type LeaseKind = (typeof leaseKinds)[number];

const ignore = () => undefined;
const noHeaders: TraceHeaders = {};
const silentCall = { headers: noHeaders, end: ignore };

/** No-op telemetry. */
export const silentInvocation: InvocationScope = {
  trace: undefined,
  headers: noHeaders,
  modelCall: () => silentCall,
  modelRetried: ignore,
  toolCall: () => silentCall,
  end: ignore,
};

const silentRequest: RequestScope = { trace: undefined, end: ignore };

export const silentTelemetry: Telemetry = {
  request: () => silentRequest,
  invocation: () => silentInvocation,
  delivery: () => silentCall,
  leaseLost: ignore,
  task: () => ignore,
};

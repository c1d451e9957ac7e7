/**
 * What the service reports of its work while it does it. Each piece of work is a scope, which begins when the work does and
 * must be ended once. Metrics and traces are made of it elsewhere; whoever reports knows of neither.
 */
import type { SpanContext } from '@opentelemetry/api';

/** Where in a trace something happened; undefined if nobody traces it. */
export type Trace = SpanContext | undefined;

/** The headers of W3C trace context, for requests to others. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface Telemetry {
  request: (request: ReceivedRequest) => RequestScope;
  invocation: (invocation: StartedInvocation) => InvocationScope;
  delivery: (delivery: StartedDelivery) => DeliveryScope;
  leaseLost: (lease: LeaseKind) => void;
}

export interface ReceivedRequest {
  id: string;
  method: string;
  path: string;
  isSecure: () => boolean;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface RequestScope {
  trace: Trace;
  end: (response: SentResponse) => void;
}

export interface SentResponse {
  /** Of the contract; undefined if no operation of it was asked for. */
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
  /** Of the request. */
  trace?: Trace;
  /** Whether nothing of who said what may be kept. */
  isPrivate: boolean;
  message: string;
}

export interface InvocationScope {
  trace: Trace;
  /** For connections that serve the whole invocation. */
  headers: TraceHeaders;
  modelCall: (call: StartedModelCall) => ModelCallScope;
  /** A call that failed is made again, by the same model or by the next one. */
  modelRetried: (kind: 'retry' | 'fallback') => void;
  toolCall: (call: StartedToolCall) => ToolCallScope;
  end: (outcome: InvocationEnd) => void;
}

/** Undefined: it has no outcome, and is run again or by somebody else. */
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
  /** Undefined unless somebody wants to know what the model says. */
  text?: (piece: string) => void;
  end: (outcome: ModelCallOutcome, usage: ModelUsage) => void;
}

export const modelCallOutcomes = ['succeeded', 'failed', 'rate_limited', 'interrupted'] as const;
export type ModelCallOutcome = (typeof modelCallOutcomes)[number];

/** Of some models the sum is all that is known. */
export interface ModelUsage {
  tokensUsed: number;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  finishReason?: string | undefined;
  /** As the provider names it, which may be more exact than what was asked for. */
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

/** `unknown`: the model asked for a tool that there is not. */
export const toolOutcomes = ['succeeded', 'failed', 'unknown', 'interrupted'] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

export interface StartedDelivery {
  eventId: string;
  webhookId: string;
  requestId: string;
  type: string;
  host: string;
  attempt: number;
  /** Of the invocation that the event is about. */
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

/** Nobody listens. */
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
};

/**
 * The interface through which the service reports its work. Each piece of work is a scope, which begins with the work and must be
 * ended once. Callers know nothing of metrics and traces; this folder derives both from their reports.
 */
import type { SpanContext } from '@opentelemetry/api';
import { type ConversationObserver, noopObserver, type TraceHeaders } from '../models/observer.js';

/** A position in a trace; undefined if tracing is off. */
export type Trace = SpanContext | undefined;

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

export interface InvocationScope extends ConversationObserver {
  trace: Trace;
  end: (outcome: InvocationEnd) => void;
}

/** Undefined if there is no outcome: the invocation will run again, possibly in another process. */
export type InvocationEnd =
  | { status: 'succeeded'; model: string; response: string; tokensUsed: number }
  | { status: 'failed'; code: string; tokensUsed: number | null }
  | undefined;

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
const noopDelivery = { headers: {}, end: noop };

export const noopInvocation: InvocationScope = {
  ...noopObserver,
  trace: undefined,
  end: noop,
};

const noopRequest: RequestScope = { trace: undefined, end: noop };

export const noopTelemetry: Telemetry = {
  request: () => noopRequest,
  invocation: () => noopInvocation,
  delivery: () => noopDelivery,
  leaseLost: noop,
  task: () => noop,
};

/** The fields of every log line about a request. */
export function logFields({ requestId, trace }: { requestId: string; trace?: Trace }) {
  return { request_id: requestId, trace_id: trace?.traceId };
}

/** What a conversation reports of its calls, for metrics and traces. Each call is a scope, which must be ended once. */

import type { SpanContext } from '@opentelemetry/api';

/** W3C trace context headers for outgoing requests. */
export type TraceHeaders = Readonly<Record<string, string>>;

export interface ConversationObserver {
  /** For connections that stay open for the whole conversation. */
  headers: TraceHeaders;
  modelCall: (call: StartedModelCall) => ModelCallScope;
  /** A failed call is repeated with the same model or with the next one. */
  modelRetried: (kind: 'retry' | 'fallback') => void;
  toolCall: (call: StartedToolCall) => ToolCallScope;
}

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

/** Of a URL, as attributes of spans. */
export function serverAddress(url: string): ServerAddress {
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
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
  /** Its position in the trace, for work within the service; undefined if tracing is off. */
  trace?: SpanContext | undefined;
  end: (result: { outcome: ToolOutcome; text: string }) => void;
}

/** `unknown`: the model asked for a tool that does not exist. */
export const toolOutcomes = ['succeeded', 'failed', 'unknown', 'interrupted'] as const;
type ToolOutcome = (typeof toolOutcomes)[number];

const noop = () => undefined;
const noopCall = { headers: {}, end: noop };

export const noopObserver: ConversationObserver = {
  headers: {},
  modelCall: () => noopCall,
  modelRetried: noop,
  toolCall: () => noopCall,
};

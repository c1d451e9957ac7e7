/** A tool of an agent, as the service calls it. */
import { redact } from '../../lib/text/redact.js';
import type { TraceHeaders } from '../../observability/telemetry.js';
import { maxResult } from '../limits.js';
import type { ToolDefinition } from '../model.js';

export interface ToolPolicy {
  allowPrivate: boolean;
  /** For the connections to MCP servers, each of which serves all calls of an invocation. */
  traceHeaders?: TraceHeaders;
}

export interface Tool extends ToolDefinition {
  timeoutMs: number;
  /** Throws a ToolFailure. Stops when the signal aborts. */
  call: (
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    traceHeaders: TraceHeaders,
  ) => Promise<string>;
}

/** `message` is the service's own description; `said` is the error message of the other side, without secrets. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly said: string | undefined;

  constructor(message: string, said?: string) {
    super(message);
    this.said = said;
  }

  /** For the model, and for the operator who applies a manifest. */
  get text(): string {
    return this.said === undefined ? this.message : `${this.message}: ${this.said}`;
  }
}

/** A call that was given up before anything was sent. */
export class ToolNotSent extends ToolFailure {}

/** Truncates a result for the model, and redacts secrets of the request that the server may have repeated. */
export function resultText(text: string, secrets: readonly string[], hasMore = false): string {
  const kept = redact(text, secrets, maxResult.length);
  if (text.length <= maxResult.length && !hasMore) return kept;
  const shown = kept.toWellFormed();
  return `${shown}\n[The result is longer. Only its first ${shown.length} characters are shown.]`;
}

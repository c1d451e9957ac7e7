/** A tool of an agent, as the service calls it. */
import { redact } from '../../lib/text/redact.js';
import type { TraceHeaders } from '../observer.js';
import { defaultResultLength } from '../limits.js';
import type { ToolDefinition } from '../model.js';

export interface ToolPolicy {
  allowPrivate: boolean;
  /** For the connections to MCP servers, each of which serves all calls of an invocation. */
  traceHeaders?: TraceHeaders;
  /** How many characters of a result the model receives. */
  maxResult?: number | undefined;
}

export interface Tool extends ToolDefinition {
  timeoutMs: number;
  /** False for a built-in tool that only reads, so that a run that has called nothing else may start over. */
  hasEffect?: false;
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

interface ResultOptions {
  /** Of the request, which the server may have repeated. */
  secrets: readonly string[];
  maxResult: ToolPolicy['maxResult'];
  /** Whether the text is only the beginning of the result. */
  hasMore?: boolean;
}

/** Truncates a result for the model, and redacts secrets. */
export function resultText(
  text: string,
  { secrets, maxResult = defaultResultLength, hasMore = false }: ResultOptions,
): string {
  const kept = redact(text, secrets, maxResult);
  if (text.length <= maxResult && !hasMore) return kept;
  const shown = kept.toWellFormed();
  return `${shown}\n[The result is longer. Only its first ${shown.length} characters are shown.]`;
}

/** A tool of an agent, as the service calls it. */
import { redact } from '../../lib/redact.js';
import type { TraceHeaders } from '../../lib/telemetry.js';
import { maxResult } from '../limits.js';
import type { ToolDefinition } from '../model.js';

export interface Tool extends ToolDefinition {
  timeoutMs: number;
  /** Throws a ToolFailure. Stops when the signal aborts. */
  call: (
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    traceHeaders: TraceHeaders,
  ) => Promise<string>;
}

/** The message goes to the model and into the agent's log, so it holds no secret. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
}

export function cutResult(text: string, hasMore = false): string {
  if (text.length <= maxResult.length && !hasMore) return text;
  const kept = text.slice(0, maxResult.length).toWellFormed();
  return `${kept}\n[The result is longer. Only its first ${kept.length} characters are shown.]`;
}

/** A server that repeats its request in the answer must not tell the model the token. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.some((secret) => text.includes(secret)) ? redact(text, secrets, {}) : text;
}

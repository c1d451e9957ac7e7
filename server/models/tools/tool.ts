/** A tool that a model can call, and what the model is told of its results and failures. */
import { errorCode } from '../../lib/errors/error-code.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { TargetRefused } from '../../lib/net/target-address.js';
import { SecretMissing } from '../../lib/text/secret-reference.js';
import { redact } from '../../lib/text/redact.js';
import type { ToolCallScope, TraceHeaders } from '../observer.js';
import { defaultResultLength } from '../limits.js';
import type { ToolDefinition } from '../model.js';

/** Values by what a tool's settings refer to, such as `context.customer`. */
export type ReferenceValues = Readonly<Record<string, unknown>>;

export interface ToolPolicy {
  allowPrivate: boolean;
  /** For the connections to MCP servers, each of which serves all calls of an invocation. */
  traceHeaders?: TraceHeaders;
  /** What the references in the tools' settings stand for. */
  references?: ReferenceValues | undefined;
  /** On whose behalf MCP servers are called. */
  origin?: CallOrigin | undefined;
  /** How many characters of a result the model receives. */
  maxResult?: number | undefined;
}

export interface CallOrigin {
  requestId: string;
  userId: string | null;
  sessionId: string | null;
}

export interface Tool extends ToolDefinition {
  timeoutMs: number;
  /** False for a built-in tool that only reads, so that a run that has called nothing else may start over. */
  hasEffect?: false;
  /** Whether a call whose result was lost may be made again. */
  mayRepeat?: boolean;
  /** Who must approve each call. */
  approver?: Approver | undefined;
  /** What is sent for checked arguments; by default these. */
  sent?: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Throws a ToolFailure. Stops when the signal aborts. */
  call: (
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    identity: CallIdentity,
  ) => Promise<string>;
}

/** `caller`: whoever may invoke the agent for the same user and session; `manage`: who has that permission. */
export type Approver = 'caller' | 'manage';

/** What a call says of itself to the tool, or to its server. */
export interface CallIdentity {
  /** The id of the call, within its conversation. */
  id: string;
  /** The same if the call is repeated, so that the server can tell. */
  key: string;
  traceHeaders: TraceHeaders;
  trace: ToolCallScope['trace'];
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

/** Why a tool or its server could not be reached, without details that only the operator may see. */
export function explainCallFailure(error: unknown): string {
  if (error instanceof TargetRefused) return `its address was refused: it ${error.reason}`;
  if (error instanceof SecretMissing) return `a header: ${error.message}`;
  if (error instanceof ResponseTooLarge) return 'its response is too large';
  const code = errorCode(error);
  if (code !== undefined) return `the connection failed (${code})`;
  const hasCause = error instanceof Error && error.cause !== undefined;
  return hasCause ? explainCallFailure(error.cause) : 'the connection failed';
}

/** The name of a called tool as providers accept it. A model can ask for tools that do not exist, by any name. */
export function replayedName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}

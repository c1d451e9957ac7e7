/** What an ended invocation leaves: the record of its row, logs, memory and event, and the response to its request and to repeats. */
import type {
  AgentCompletedEvent,
  AgentFailedEvent,
  AgentPausedEvent,
  EventType,
  Invocation,
} from '../../generated/api.js';
import type { Event, LogEntry, MemoryEntry } from '../../generated/prisma/client.js';
import { constraints } from '../../generated/constraints.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate } from '../lib/time/clock.js';
import type { TokenUsage } from '../models/model.js';
import { addTokens, noTokens, type Tokens } from '../models/token-usage.js';
import type { Claim } from '../accounts/operation-context.js';
import { type KeySettlement, toStoredResponse } from '../idempotency/sealed-response.js';
import { errorResponse } from '../contract/error-response.js';
import { errorOf } from './failure.js';
import { storedTurn } from './history.js';
import {
  type Completion,
  type EndedInvocation,
  type InvocationInput,
  type InvocationOutcome,
  type InvocationResult,
  isRemembered,
  type RunResult,
} from './invocation.js';
import type { StoredTurn } from './sessions/history.sql.js';

export interface InvocationRecord extends EndedInvocation {
  /** False: the row does not keep the user, the session or the context. */
  remember: boolean;
  logs: readonly LogRecord[];
  memory: readonly MemoryRecord[];
  /** Stored only if webhooks subscribe to it, with a delivery for each. */
  event: EventRecord;
  /** The owner of the session lease, which is released; null without a session. */
  sessionOwner: string | null;
  /** The owner of an asynchronous invocation's lease; null for a synchronous one. */
  worker: string | null;
  idempotency: KeySettlement | null;
  /** Whether steps of the run are stored: they are deleted, unless it waits for approval. */
  hasSteps: boolean;
  /** Until when its calls can be approved; null if none waits. */
  waitsUntil: Date | null;
}

export interface LogRecord extends Pick<LogEntry, 'id' | 'loggedAt' | 'level' | 'message'> {
  metadata: Readonly<Record<string, unknown>>;
}

export interface MemoryRecord extends Pick<MemoryEntry, 'id' | 'role' | 'content'> {
  /** Of an answer: what a later turn of the session gets besides the messages. */
  turn: StoredTurn | null;
}

export interface EventRecord extends Pick<Event, 'id' | 'traceContext'> {
  type: EventType;
  /** Sent unchanged by every attempt of every delivery. */
  body: string;
}

/** The outcome of an invocation that ends now. */
export function outcomeOf(
  { createdAt }: InvocationInput,
  result: RunResult,
  { tokensUsed, usage = {}, asked = noTokens, hasActed }: Ended,
): InvocationOutcome {
  const finishedAt = currentDate();
  const durationMs = durationBetween(createdAt, finishedAt);
  const own = 'completion' in result ? result.completion : { tokensUsed: tokensUsed ?? 0, usage };
  const total = addTokens(own, asked);
  return { tokensUsed, total, hasActed, finishedAt, durationMs, ...result };
}

interface Ended extends Pick<InvocationOutcome, 'tokensUsed' | 'hasActed'> {
  usage?: TokenUsage;
  /** What the agents that it asked have used. */
  asked?: Tokens;
}

/** Clamped to the range of the contract, in case the clock was changed in the meantime. */
function durationBetween(start: Date, end: Date): number {
  const { minimum, maximum } = constraints.DurationMs;
  return Math.min(maximum, Math.max(minimum, end.getTime() - start.getTime()));
}

interface RecordParts extends Pick<InvocationRecord, 'logs'> {
  invocation: InvocationInput;
  outcome: InvocationOutcome;
  /** Those that recording the outcome releases or completes, if the invocation still holds them. */
  leases: Pick<InvocationRecord, 'sessionOwner' | 'worker' | 'idempotency'>;
  hasSteps: boolean;
  /** What was said before the invocation: the exchange of an earlier one, which waited for approval. */
  earlier?: { messages: readonly string[]; texts: readonly string[] } | undefined;
  /** The trace that deliveries of the event continue. */
  traceContext: string | null;
}

/** Here and in the other hot paths, spreads come last: V8 adds properties to a copy of an object many times more slowly. */
export function recordOf({
  invocation,
  outcome,
  logs,
  leases,
  hasSteps,
  earlier,
  traceContext,
}: RecordParts): InvocationRecord {
  const { agent } = invocation;
  const completion = 'completion' in outcome ? outcome.completion : undefined;
  const expiresAt = completion?.approvals[0]?.expires_at;
  const remember = isRemembered(invocation);
  return {
    deploymentId: agent.deploymentId,
    model: completion?.model ?? agent.model,
    status: completion ? 'succeeded' : 'failed',
    remember,
    tokensUsed: completion?.tokensUsed ?? outcome.tokensUsed,
    durationMs: outcome.durationMs,
    errorCode: 'failure' in outcome ? outcome.failure.code : null,
    finishedAt: outcome.finishedAt,
    logs,
    hasSteps,
    waitsUntil: expiresAt === undefined ? null : new Date(expiresAt),
    // A failed exchange is not remembered, since a retry would repeat its message in the history. One that waits has not ended.
    memory:
      completion && remember && expiresAt === undefined
        ? exchangeOf(invocation, completion, earlier)
        : [],
    event: { traceContext, ...eventOf(invocation, outcome) },
    ...leases,
    ...invocation,
  };
}

function exchangeOf(
  { id, message, sessionId }: InvocationInput,
  completion: Completion,
  earlier: RecordParts['earlier'],
): InvocationRecord['memory'] {
  const turn = sessionId === null ? null : storedTurn(id, completion);
  const messages = earlier?.messages ?? [message];
  const texts = [...(earlier?.texts ?? []), completion.response];
  return [
    { id: newId('mem'), role: 'user', content: messages.join('\n\n'), turn: null },
    {
      id: newId('mem'),
      role: 'agent',
      content: texts.filter((text) => text !== '').join('\n\n'),
      turn,
    },
  ];
}

/** How an invocation ended, as its response and its event say it. */
function endingOf(
  { finishReason, approvals }: Completion,
  { usage }: Tokens,
): Pick<Invocation, 'status' | 'finish_reason' | 'usage' | 'approvals'> {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  const reported = {
    ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    ...(cachedInputTokens === undefined ? {} : { cached_input_tokens: cachedInputTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
  };
  return {
    status: approvals.length === 0 ? 'completed' : 'requires_approval',
    ...(finishReason === undefined ? {} : { finish_reason: finishReason }),
    ...(Object.keys(reported).length === 0 ? {} : { usage: reported }),
    ...(approvals.length === 0 ? {} : { approvals: [...approvals] }),
  };
}

function eventOf(
  { id: request_id, agent, environment, schedule }: InvocationInput,
  outcome: InvocationOutcome,
): Omit<EventRecord, 'traceContext'> {
  const id = newId('evt');
  const created_at = outcome.finishedAt.toISOString();
  const about = {
    agent_id: agent.id,
    request_id,
    ...(environment === null ? {} : { environment }),
    ...(schedule ? { schedule } : {}),
  };
  if ('failure' in outcome) {
    const { code, message } = outcome.failure;
    const data = { ...about, error: { code, message } };
    return eventWith({ id, created_at, type: 'agent.failed', data });
  }
  const { completion, total, durationMs } = outcome;
  const { approvals, ...ending } = endingOf(completion, total);
  const data = {
    ...about,
    response: completion.response,
    tokens_used: total.tokensUsed,
    duration_ms: durationMs,
    ...ending,
  };
  return approvals
    ? eventWith({ id, created_at, type: 'agent.paused', data: { ...data, approvals } })
    : eventWith({ id, created_at, type: 'agent.completed', data });
}

function eventWith(event: AgentCompletedEvent | AgentFailedEvent | AgentPausedEvent) {
  return { id: event.id, type: event.type, body: JSON.stringify(event) };
}

export function presentInvocation(result: InvocationResult): Invocation {
  return {
    response: result.response,
    request_id: result.requestId,
    tokens_used: result.total.tokensUsed,
    duration_ms: result.durationMs,
    ...endingOf(result, result.total),
  };
}

/** The Idempotency-Key of an invocation. */
export interface IdempotencyKey extends Pick<Claim, 'id'> {
  /** Null: the key is not held, since the request of an asynchronous invocation has its 202. */
  owner: string | null;
}

/**
 * What repeats of the request get. A failure of a request that still holds its key releases it, so that the request can be repeated, unless
 * tools have been called.
 */
export function settlementOf(
  key: IdempotencyKey | null,
  requestId: string,
  outcome: InvocationOutcome,
): KeySettlement | null {
  if (!key) return null;
  const { id, owner } = key;
  if ('completion' in outcome) {
    const { completion, total, durationMs } = outcome;
    const data = presentInvocation({ requestId, durationMs, total, ...completion });
    const response = toStoredResponse({ status: 200, body: { success: true, data } });
    return { id, owner, response };
  }
  const isReleased = owner !== null && !outcome.hasActed && outcome.failure.isFinal !== true;
  const response = isReleased ? null : toStoredResponse(errorResponse(errorOf(outcome.failure)));
  return { id, owner, response };
}

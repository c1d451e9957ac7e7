// Generated from spec/ by npm run generate. Do not edit.

/**
 * An agent's id or its name; both name the same agent everywhere.
 * @example support-bot
 * @example agent_01m3v7me00f8c8623ebffsvy4c
 */
export type AgentReference = string;
/**
 * Your own id of the person who speaks. Sessions and memory are kept by it. With a token it is the token's subject, and may be left out; any other is a 400.
 * @example user-2041
 */
export type UserId = string;
/**
 * Your own id of the conversation, one for each user: two users with the same id have two sessions. Earlier turns of the session go to the model, oldest first, up to the agent's history limit. Turns of one session never interleave: a second invocation waits for the first.
 * @example chat-77
 */
export type SessionId = string;
/** Whose message this is, and of which conversation. Other keys are kept with the invocation and passed to `http/…` agents. */
export type InvocationContext = {
    /** Your own id of the person who speaks. Sessions and memory are kept by it. With a token it is the token's subject, and may be left out; any other is a 400. */
    user_id?: UserId;
    /** Your own id of the conversation, one for each user: two users with the same id have two sessions. Earlier turns of the session go to the model, oldest first, up to the agent's history limit. Turns of one session never interleave: a second invocation waits for the first. */
    session_id?: SessionId;
    /** `false` leaves nothing of the message and the answer in the agent's memory, nor in the session: it can follow on what was said before, and what follows does not know of it. An agent that does not remember cannot be made to. */
    remember?: boolean;
} & {
    [key: string]: unknown;
};
/** What to tell the agent. */
export interface InvocationRequest {
    /** What the user says. */
    message: string;
    /** Whose message this is, and of which conversation. Other keys are kept with the invocation and passed to `http/…` agents. */
    context?: InvocationContext;
}
/**
 * The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help.
 * @example req_01m6dsg7e0eha8ks12y199e68y
 */
export type RequestId = string;
/**
 * Tokens read and written by the model, added up.
 * @example 312
 */
export type TokenCount = number;
/**
 * Milliseconds from the arrival of the request to the end of the answer.
 * @example 940
 */
export type DurationMs = number;
/** The agent's answer and what it took. */
export interface Invocation {
    /** The agent's reply. */
    response: string;
    /** The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help. */
    request_id: RequestId;
    /** Tokens read and written by the model, added up. */
    tokens_used: TokenCount;
    /** Milliseconds from the arrival of the request to the end of the answer. */
    duration_ms: DurationMs;
}
/** The envelope of a success. */
export interface InvocationResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** The agent's answer and what it took. */
    data: Invocation;
}
/**
 * Identifies the event within its stream, in its `id:` line. Opaque: keep the last one that you received, and send it as `Last-Event-ID` to resume the stream after it.
 * @example req_01m6dsg7e0eha8ks12y199e68y.2
 */
export type InvocationEventId = string;
/** JSON in its `data:` line. */
export interface InvocationDelta {
    /** Text to append to what came before. */
    text: string;
}
/** The next piece of the reply. */
export interface InvocationDeltaEvent {
    /**
     * The event's name, in its `event:` line.
     * @enum {string}
     */
    event: "delta";
    /** Identifies the event within its stream, in its `id:` line. Opaque: keep the last one that you received, and send it as `Last-Event-ID` to resume the stream after it. */
    id?: InvocationEventId;
    /** JSON in its `data:` line. */
    data: InvocationDelta;
}
/** JSON in its `data:` line. */
export interface InvocationToolCall {
    /**
     * Which call of this invocation it is, so that calls that run at the same time can be told apart.
     * @example call_1
     */
    call_id: string;
    /**
     * The tool's name, as the model knows it.
     * @example orders_lookup
     */
    name: string;
    /**
     * What has happened to the call. A failed one does not end the invocation; the model is told of it. New values may be added.
     * @enum {string}
     */
    status: "started" | "succeeded" | "failed";
    /** How long the call took. Not there when it has just started. */
    duration_ms?: DurationMs;
}
/** The model uses a tool. One such event when a call starts, and one when it has ended. */
export interface InvocationToolEvent {
    /**
     * The event's name, in its `event:` line.
     * @enum {string}
     */
    event: "tool";
    /** Identifies the event within its stream, in its `id:` line. Opaque: keep the last one that you received, and send it as `Last-Event-ID` to resume the stream after it. */
    id?: InvocationEventId;
    /** JSON in its `data:` line. */
    data: InvocationToolCall;
}
/** The whole result, as the plain JSON form gives it. The last event of a stream that succeeded. */
export interface InvocationDoneEvent {
    /**
     * The event's name, in its `event:` line.
     * @enum {string}
     */
    event: "done";
    /** Identifies the event within its stream, in its `id:` line. Opaque: keep the last one that you received, and send it as `Last-Event-ID` to resume the stream after it. */
    id?: InvocationEventId;
    /** The agent's answer and what it took. */
    data: Invocation;
}
/**
 * What went wrong, for a program. Each code comes with one HTTP status. New codes may be added: treat one that you do not know by its status.
 * @enum {string}
 */
export type ErrorCode = "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "rate_limited" | "server_error" | "upstream_error" | "unavailable" | "timeout";
/** One field that failed validation. */
export interface FieldProblem {
    /** Where it stands: a path into the body (`context.user_id`, `events.0`), or the name of a query parameter, path parameter or header. */
    field: string;
    /** What is wrong with it, for people. */
    error: string;
}
/** What went wrong, for a program (`code`) and for a person (`message`). */
export interface ErrorDetail {
    /** What went wrong, for a program. Each code comes with one HTTP status. New codes may be added: treat one that you do not know by its status. */
    code: ErrorCode;
    /** A sentence for people. It may change; do not parse it. */
    message: string;
    /** Seconds to wait before the next try, equal to the `Retry-After` header. Present whenever that header is. */
    retry_after?: number;
    /** One item for each field that failed validation, all of them at once. */
    details?: FieldProblem[];
}
/** What went wrong after the stream had begun. The last event of a stream that failed. */
export interface InvocationErrorEvent {
    /**
     * The event's name, in its `event:` line.
     * @enum {string}
     */
    event: "error";
    /** Identifies the event within its stream, in its `id:` line. Opaque: keep the last one that you received, and send it as `Last-Event-ID` to resume the stream after it. */
    id?: InvocationEventId;
    /** What went wrong, for a program (`code`) and for a person (`message`). */
    data: ErrorDetail;
}
/** One server-sent event of a streamed invocation, told apart by `event`, with an `id` to resume the stream after it. Zero or more `delta` and `tool`, then exactly one `done` or `error`, then the stream ends. Events of other names may be added; ignore those that you do not know. */
export type InvocationEvent = InvocationDeltaEvent | InvocationToolEvent | InvocationDoneEvent | InvocationErrorEvent;
/** An invocation that was stored and will run. */
export interface AcceptedInvocation {
    /** The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help. */
    request_id: RequestId;
}
/** The envelope of a success. */
export interface AcceptedInvocationResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** An invocation that was stored and will run. */
    data: AcceptedInvocation;
}
/** The body of every answer that is not a success. */
export interface ErrorResponse {
    /**
     * Always `false`.
     * @constant
     */
    success: false;
    /** What went wrong, for a program (`code`) and for a person (`message`). */
    error: ErrorDetail;
}
/**
 * An agent's name, unique within the account. Lower-case letters, digits and hyphens, starting with a letter.
 * @example support-bot
 */
export type AgentName = string;
/**
 * An agent's id. Ids sort by the time at which they were made.
 * @example agent_01m3v7me00f8c8623ebffsvy4c
 */
export type AgentId = string;
/**
 * Whether the agent takes invocations. `stopped` is set by the operator. New values may be added: treat one that you do not know as not running.
 * @enum {string}
 */
export type AgentStatus = "running" | "stopped";
/**
 * Format: date-time
 *
 * A moment in UTC with milliseconds, as RFC 3339 writes it.
 * @example 2026-11-02T09:30:00.000Z
 */
export type Timestamp = string;
/** An agent as lists show it. */
export interface AgentSummary {
    /** An agent's id. Ids sort by the time at which they were made. */
    id: AgentId;
    /** An agent's name, unique within the account. Lower-case letters, digits and hyphens, starting with a letter. */
    name: AgentName;
    /** Whether the agent takes invocations. `stopped` is set by the operator. New values may be added: treat one that you do not know as not running. */
    status: AgentStatus;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
}
/** Where this page lies in the whole list. */
export interface Pagination {
    /** The most items that this page could hold. */
    limit: number;
    /** How many items come before this page. */
    offset: number;
    /**
     * Format: int64
     *
     * How many items match, on all pages together. Exact at the moment of the request.
     */
    total: number;
    /** Whether a further page holds items. */
    has_more: boolean;
}
/** The envelope of a list. */
export interface AgentList {
    /** The items of this page. */
    data: AgentSummary[];
    /** Where this page lies in the whole list. */
    pagination: Pagination;
}
/**
 * The model that answers, as `provider/name`. Providers: `openai`, `anthropic`, `local` (an OpenAI-compatible server), `http` (your own agent behind an endpoint) and `builtin` (`builtin/echo` needs nothing).
 * @example anthropic/claude-sonnet-4-5
 */
export type ModelName = string;
/**
 * How freely the model varies its answers, from 0 (as little as possible) to 2.
 * @example 0.3
 */
export type Temperature = number;
/**
 * What the model is told before the conversation, its system prompt. Empty if it is told nothing.
 * @example Answer questions about orders. Say so if you do not know.
 */
export type Instructions = string;
/**
 * Everything else that a deployment freezes, under the names of the manifest and as far as it is set: `timeout`, `history`, `endpoint`, `tools`, `fallbacks`, `output` and `remember`; and `toolDefinitions`, what was recorded of the tools of MCP servers when the manifest was applied. The operator sets it. Secrets are references, `${env:NAME}` or `${file:path}`.
 * @example {
 *       "timeout": "60s",
 *       "history": 20
 *     }
 */
export interface DeployedSettings {
    [key: string]: unknown;
}
/**
 * What holds for the agent whatever is deployed, under the names of the manifest and as far as it is set: `budget`, `auth`, `security`, `mfa` and `roles`. The operator sets it, and a rollback does not restore an earlier one. Secrets are references.
 * @example {
 *       "budget": {
 *         "tokens": 1000000,
 *         "window": "1d"
 *       }
 *     }
 */
export interface AgentPolicy {
    [key: string]: unknown;
}
/**
 * A deployment's id.
 * @example dep_01m6dqs9m0fsw90fq1accfsmnf
 */
export type DeploymentId = string;
/** An agent with its draft configuration, which the next deployment will freeze. */
export interface Agent {
    /** An agent's id. Ids sort by the time at which they were made. */
    id: AgentId;
    /** An agent's name, unique within the account. Lower-case letters, digits and hyphens, starting with a letter. */
    name: AgentName;
    /** Whether the agent takes invocations. `stopped` is set by the operator. New values may be added: treat one that you do not know as not running. */
    status: AgentStatus;
    /** The model that answers, as `provider/name`. Providers: `openai`, `anthropic`, `local` (an OpenAI-compatible server), `http` (your own agent behind an endpoint) and `builtin` (`builtin/echo` needs nothing). */
    model: ModelName;
    /** How freely the model varies its answers, from 0 (as little as possible) to 2. */
    temperature: Temperature;
    /** What the model is told before the conversation, its system prompt. Empty if it is told nothing. */
    instructions: Instructions;
    /** Everything else that a deployment freezes, under the names of the manifest and as far as it is set: `timeout`, `history`, `endpoint`, `tools`, `fallbacks`, `output` and `remember`; and `toolDefinitions`, what was recorded of the tools of MCP servers when the manifest was applied. The operator sets it. Secrets are references, `${env:NAME}` or `${file:path}`. */
    settings: DeployedSettings;
    /** What holds for the agent whatever is deployed, under the names of the manifest and as far as it is set: `budget`, `auth`, `security`, `mfa` and `roles`. The operator sets it, and a rollback does not restore an earlier one. Secrets are references. */
    policy: AgentPolicy;
    /** The deployment that is active in `production`, whose configuration answers invocations; null before the first, when the draft answers. */
    active_deployment_id: DeploymentId | null;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    updated_at: Timestamp;
}
/** The envelope of a success. */
export interface AgentResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** An agent with its draft configuration, which the next deployment will freeze. */
    data: Agent;
}
/** The agent that is gone. */
export interface AgentDeletion {
    /** An agent's id. Ids sort by the time at which they were made. */
    id: AgentId;
    /**
     * Always `true`.
     * @constant
     */
    deleted: true;
}
/** The envelope of a success. */
export interface AgentDeletionResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** The agent that is gone. */
    data: AgentDeletion;
}
/** The fields of the draft configuration to change; those left out stay as they are. */
export interface AgentUpdate {
    /** The model that answers, as `provider/name`. Providers: `openai`, `anthropic`, `local` (an OpenAI-compatible server), `http` (your own agent behind an endpoint) and `builtin` (`builtin/echo` needs nothing). */
    model?: ModelName;
    /** How freely the model varies its answers, from 0 (as little as possible) to 2. */
    temperature?: Temperature;
    /** What the model is told before the conversation, its system prompt. Empty if it is told nothing. */
    instructions?: Instructions;
}
/**
 * Where a deployment is active. Invocations run what is active in `production`.
 * @example production
 */
export type Environment = string;
/**
 * Your label of the version, unique within the agent and environment.
 * @example 1.4.0
 */
export type VersionLabel = string;
/**
 * `active`: what runs in its environment. `superseded`: a later deployment replaced it. `rolled_back`: it was undone. New values may be added.
 * @enum {string}
 */
export type DeploymentStatus = "active" | "superseded" | "rolled_back";
/**
 * The id of an API key. It is not a secret, and it cannot be used to authenticate.
 * @example key_01m3v7xjz0etnv3twffmsrhx7s
 */
export type KeyId = string;
/** A frozen configuration of an agent in one environment. */
export interface Deployment {
    /** A deployment's id. */
    id: DeploymentId;
    /** An agent's id. Ids sort by the time at which they were made. */
    agent_id: AgentId;
    /** Where a deployment is active. Invocations run what is active in `production`. */
    environment: Environment;
    /** Your label of the version, unique within the agent and environment. */
    version: VersionLabel;
    /** `active`: what runs in its environment. `superseded`: a later deployment replaced it. `rolled_back`: it was undone. New values may be added. */
    status: DeploymentStatus;
    /** The model that answers, as `provider/name`. Providers: `openai`, `anthropic`, `local` (an OpenAI-compatible server), `http` (your own agent behind an endpoint) and `builtin` (`builtin/echo` needs nothing). */
    model: ModelName;
    /** How freely the model varies its answers, from 0 (as little as possible) to 2. */
    temperature: Temperature;
    /** What the model is told before the conversation, its system prompt. Empty if it is told nothing. */
    instructions: Instructions;
    /** Everything else that a deployment freezes, under the names of the manifest and as far as it is set: `timeout`, `history`, `endpoint`, `tools`, `fallbacks`, `output` and `remember`; and `toolDefinitions`, what was recorded of the tools of MCP servers when the manifest was applied. The operator sets it. Secrets are references, `${env:NAME}` or `${file:path}`. */
    settings: DeployedSettings;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** When it last became active, by its creation or by a rollback of its successor. */
    activated_at: Timestamp;
    /** The key that made it; null if the caller was no key (a token of the agent) or the key's record is gone. */
    created_by: KeyId | null;
    /** The deployment that was active before it, and that a rollback brings back; null for the first one. */
    replaced_deployment_id: DeploymentId | null;
}
/** The envelope of a list. */
export interface DeploymentList {
    /** The items of this page. */
    data: Deployment[];
    /** Where this page lies in the whole list. */
    pagination: Pagination;
}
/** Where to activate the draft configuration, and under which label. */
export interface DeploymentRequest {
    /** Where a deployment is active. Invocations run what is active in `production`. */
    environment: Environment;
    /** Your label of the version, unique within the agent and environment. */
    version: VersionLabel;
}
/** The envelope of a success. */
export interface DeploymentResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** A frozen configuration of an agent in one environment. */
    data: Deployment;
}
/**
 * How much the entry matters.
 * @enum {string}
 */
export type LogLevel = "debug" | "info" | "warn" | "error";
/**
 * Format: date-time
 *
 * A moment as RFC 3339 writes it, from the year 1970 on, with any offset; answers are in UTC. The fraction of a second is optional; what is finer than a millisecond is cut off. In a query, `+` is written as `%2B`.
 * @example 2026-11-02T00:00:00Z
 * @example 2026-11-02T01:00:00+01:00
 */
export type TimestampInput = string;
/**
 * The id of a log entry.
 * @example log_01m6dsg8d8ea0bnnqyjjjny65j
 */
export type LogId = string;
/** What belongs to it, for programs. Further keys depend on what happened, such as `duration_ms` or `attempt`. */
export type LogMetadata = {
    /** The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help. */
    request_id: RequestId;
} & {
    [key: string]: unknown;
};
/** One line of an agent's log. */
export interface LogEntry {
    /** The id of a log entry. */
    id: LogId;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    timestamp: Timestamp;
    /** How much the entry matters. */
    level: LogLevel;
    /** What happened, for people. Never holds a secret. */
    message: string;
    /** What belongs to it, for programs. Further keys depend on what happened, such as `duration_ms` or `attempt`. */
    metadata: LogMetadata;
}
/** The envelope of a list. */
export interface LogList {
    /** The items of this page. */
    data: LogEntry[];
    /** Where this page lies in the whole list. */
    pagination: Pagination;
}
/**
 * `response_time`: mean time of an invocation. `throughput`: invocations per minute. `error_rate`: the share of invocations that failed. `token_usage`: the tokens that invocations used, also those that failed, as far as their models told.
 * @enum {string}
 */
export type MetricName = "response_time" | "throughput" | "error_rate" | "token_usage";
/**
 * The length of a bucket. Buckets align to the epoch in UTC, so `1d` begins at midnight UTC.
 * @default 1h
 * @enum {string}
 */
export type Granularity = "1m" | "5m" | "1h" | "1d";
/**
 * The unit of a value. `response_time` is in `ms`, `throughput` in `requests_per_minute`, `error_rate` in `percent` (0 to 100), `token_usage` in `tokens`.
 * @enum {string}
 */
export type MetricUnit = "ms" | "requests_per_minute" | "percent" | "tokens";
/** The metric in one bucket. */
export interface MetricValue {
    /** The start of the bucket. */
    timestamp: Timestamp;
    /** The value in the given unit. */
    value: number;
    /** The unit of a value. `response_time` is in `ms`, `throughput` in `requests_per_minute`, `error_rate` in `percent` (0 to 100), `token_usage` in `tokens`. */
    unit: MetricUnit;
}
/** One metric over time. */
export interface MetricSeries {
    /** `response_time`: mean time of an invocation. `throughput`: invocations per minute. `error_rate`: the share of invocations that failed. `token_usage`: the tokens that invocations used, also those that failed, as far as their models told. */
    metric: MetricName;
    /** One value a bucket, oldest first. */
    values: MetricValue[];
}
/** The envelope of a success. */
export interface MetricSeriesResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** One metric over time. */
    data: MetricSeries;
}
/** Only entries of this user, of this session, or of both. */
export interface MemoryFilter {
    /** Your own id of the person who speaks. Sessions and memory are kept by it. With a token it is the token's subject, and may be left out; any other is a 400. */
    user_id?: UserId;
    /** Your own id of the conversation, one for each user: two users with the same id have two sessions. Earlier turns of the session go to the model, oldest first, up to the agent's history limit. Turns of one session never interleave: a second invocation waits for the first. */
    session_id?: SessionId;
}
/** What to look for. */
export interface MemorySearch {
    /** Words to find. Inflected and misspelt forms match too. */
    query: string;
    /**
     * The most results to return.
     * @default 10
     */
    limit?: number;
    /** Only entries of this user, of this session, or of both. */
    filter?: MemoryFilter;
}
/**
 * The id of a memory entry.
 * @example mem_01m61kyqxrfjgb5jatm52c3m7z
 */
export type MemoryId = string;
/** Where a remembered turn comes from. */
export interface MemoryMetadata {
    /** The session of the invocation; null if it had none. */
    session_id: SessionId | null;
    /** The user of the invocation; null if it named none. */
    user_id: UserId | null;
    /** The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help. */
    request_id: RequestId;
}
/** One remembered turn that fits the query. */
export interface MemoryMatch {
    /** The id of a memory entry. */
    id: MemoryId;
    /** What was said. */
    content: string;
    /**
     * Who said it. New values may be added.
     * @enum {string}
     */
    role: "user" | "agent";
    /** How well it fits, from 0 to 1. Comparable within one answer, not between queries. */
    score: number;
    /** Where a remembered turn comes from. */
    metadata: MemoryMetadata;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
}
/** The envelope of a list. */
export interface MemoryMatchList {
    /** The items of this page. */
    data: MemoryMatch[];
    /** Where this page lies in the whole list. */
    pagination: Pagination;
}
/** What was forgotten. */
export interface MemoryClearing {
    /**
     * Format: int64
     *
     * How many entries were deleted.
     */
    cleared: number;
}
/** The envelope of a success. */
export interface MemoryClearingResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** What was forgotten. */
    data: MemoryClearing;
}
/**
 * `agent.completed` follows an invocation that answered, `agent.failed` one that did not.
 * @enum {string}
 */
export type EventType = "agent.completed" | "agent.failed";
/**
 * A webhook's id.
 * @example wh_01m3y21g40em7a3s4w04zg1hhc
 */
export type WebhookId = string;
/**
 * Format: uri
 *
 * The address that receives the events. It must be https, and it must not resolve to a private, loopback, link-local or otherwise special address. An operator can allow http and private addresses for development.
 * @example https://hooks.acme.example/agents
 */
export type WebhookUrl = string;
/** Which events are delivered. New values may be added. */
export type DeliveredEvents = ("agent.completed" | "agent.failed")[];
/**
 * `disabled` after the receiver answered 410, or failed for five days without a success; delete the webhook and create it anew to go on. New values may be added.
 * @enum {string}
 */
export type WebhookStatus = "enabled" | "disabled";
/** How a delivery went so far, as its last attempt left it. */
export interface WebhookDelivery {
    /**
     * `succeeded`: answered with 2xx. `pending`: an attempt failed, another will follow. `failed`: given up after the last attempt. New values may be added.
     * @enum {string}
     */
    status: "pending" | "succeeded" | "failed";
    /** Attempts so far. */
    attempts: number;
    /** When the last attempt was made. */
    at: Timestamp;
    /** The HTTP status that the receiver answered the last attempt with; null if it did not answer. */
    response_code: number | null;
    /** Why the delivery has not succeeded, for people; null if it has. */
    error: string | null;
    /** When the next attempt is due; null if there is none: the delivery has succeeded or was given up, or an attempt is running now. */
    next_attempt_at: Timestamp | null;
}
/** An address that receives events. */
export interface Webhook {
    /** A webhook's id. */
    id: WebhookId;
    /** The agent that it is limited to; null for the whole account. */
    agent_id: AgentId | null;
    /** The address that receives the events. It must be https, and it must not resolve to a private, loopback, link-local or otherwise special address. An operator can allow http and private addresses for development. */
    url: WebhookUrl;
    /** Which events are delivered. New values may be added. */
    events: DeliveredEvents;
    /** `disabled` after the receiver answered 410, or failed for five days without a success; delete the webhook and create it anew to go on. New values may be added. */
    status: WebhookStatus;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** The delivery that was tried last; null before the first. */
    last_delivery: WebhookDelivery | null;
}
/** The envelope of a list. */
export interface WebhookList {
    /** The items of this page. */
    data: Webhook[];
    /** Where this page lies in the whole list. */
    pagination: Pagination;
}
/** Which events are delivered. */
export type EventTypes = EventType[];
/** Where to send which events. */
export interface WebhookRequest {
    /** The agent, by id or name, whose events are sent; null or left out: every agent of the account, also those to come. A key that is scoped to an agent makes webhooks of that agent alone. */
    agent_id?: AgentReference | null;
    /** The address that receives the events. It must be https, and it must not resolve to a private, loopback, link-local or otherwise special address. An operator can allow http and private addresses for development. */
    url: WebhookUrl;
    /** Which events are delivered. */
    events: EventTypes;
}
/** A new webhook with its secret, which is shown this once. */
export interface CreatedWebhook {
    /** A webhook's id. */
    id: WebhookId;
    /** The agent that it is limited to; null for the whole account. */
    agent_id: AgentId | null;
    /** The address that receives the events. It must be https, and it must not resolve to a private, loopback, link-local or otherwise special address. An operator can allow http and private addresses for development. */
    url: WebhookUrl;
    /** Which events are delivered. New values may be added. */
    events: DeliveredEvents;
    /** `disabled` after the receiver answered 410, or failed for five days without a success; delete the webhook and create it anew to go on. New values may be added. */
    status: WebhookStatus;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** The delivery that was tried last; always null here, since nothing was delivered yet. */
    last_delivery: WebhookDelivery | null;
    /** The key of the signatures, `whsec_` and 32 random bytes in base64. Keep it where the receiver can read it: no later answer holds it. */
    secret: string;
}
/** The envelope of a success. */
export interface CreatedWebhookResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** A new webhook with its secret, which is shown this once. */
    data: CreatedWebhook;
}
/**
 * An event's id. It is the same on every delivery attempt, so receivers can drop what they have seen.
 * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
 */
export type EventId = string;
/** The invocation's result. The message that was sent is not repeated. */
export interface AgentCompletion {
    /** An agent's id. Ids sort by the time at which they were made. */
    agent_id: AgentId;
    /** The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help. */
    request_id: RequestId;
    /** The agent's reply. */
    response: string;
    /** Tokens read and written by the model, added up. */
    tokens_used: TokenCount;
    /** Milliseconds from the arrival of the request to the end of the answer. */
    duration_ms: DurationMs;
}
/** An invocation answered. */
export interface AgentCompletedEvent {
    /** An event's id. It is the same on every delivery attempt, so receivers can drop what they have seen. */
    id: EventId;
    /**
     * The event's name.
     * @enum {string}
     */
    type: "agent.completed";
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** The invocation's result. The message that was sent is not repeated. */
    data: AgentCompletion;
}
/** Why an invocation failed. */
export interface InvocationFailure {
    /**
     * The error code that the caller got, or would have got; `cancelled` if the caller had left before the answer, or the operator cancelled the invocation. New values may be added.
     * @enum {string}
     */
    code: "upstream_error" | "unavailable" | "timeout" | "rate_limited" | "server_error" | "cancelled";
    /** A sentence for people. */
    message: string;
}
/** Which invocation failed, and why. */
export interface AgentFailure {
    /** An agent's id. Ids sort by the time at which they were made. */
    agent_id: AgentId;
    /** The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help. */
    request_id: RequestId;
    /** Why an invocation failed. */
    error: InvocationFailure;
}
/** An invocation did not answer. */
export interface AgentFailedEvent {
    /** An event's id. It is the same on every delivery attempt, so receivers can drop what they have seen. */
    id: EventId;
    /**
     * The event's name.
     * @enum {string}
     */
    type: "agent.failed";
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** Which invocation failed, and why. */
    data: AgentFailure;
}
/** An event as it is delivered to a webhook, told apart by `type`. */
export type WebhookEvent = AgentCompletedEvent | AgentFailedEvent;
/** The webhook that is gone. */
export interface WebhookDeletion {
    /** A webhook's id. */
    id: WebhookId;
    /**
     * Always `true`.
     * @constant
     */
    deleted: true;
}
/** The envelope of a success. */
export interface WebhookDeletionResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** The webhook that is gone. */
    data: WebhookDeletion;
}
/**
 * A name for people, such as the program that uses the key. It need not be unique.
 * @example Help desk backend
 */
export type KeyName = string;
/** What the key may do. New values may be added. */
export type GrantedPermissions = ("read" | "write" | "delete" | "manage")[];
/**
 * The beginning and the last four characters, enough to recognise a key by.
 * @example ahs_…kW3d
 */
export type KeyPreview = string;
/** An API key without its secret. */
export interface ApiKey {
    /** The id of an API key. It is not a secret, and it cannot be used to authenticate. */
    id: KeyId;
    /** The agent that it is limited to; null for the whole account. */
    agent_id: AgentId | null;
    /** A name for people, such as the program that uses the key. It need not be unique. */
    name: KeyName;
    /** What the key may do. New values may be added. */
    permissions: GrantedPermissions;
    /** The beginning and the last four characters, enough to recognise a key by. */
    preview: KeyPreview;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** The id of the key that created this one; null if the operator made it. */
    created_by: KeyId | null;
    /** When it was last used, exact to about a minute; null if it never was. */
    last_used_at: Timestamp | null;
    /** When the key stops working; null, never. */
    expires_at: Timestamp | null;
}
/** The envelope of a list. */
export interface ApiKeyList {
    /** The items of this page. */
    data: ApiKey[];
    /** Where this page lies in the whole list. */
    pagination: Pagination;
}
/**
 * Text on one line, of characters that can be seen: no control characters, no characters that change the direction of writing, none without width, no line separators.
 * @example Help desk backend
 */
export type PrintableText = string;
/**
 * `read`: see agents, deployments, logs, metrics, memory and webhooks. `write`: invoke, update, deploy, roll back, create webhooks. `delete`: delete agents, memory and webhooks. `manage`: create, list and revoke keys. None contains another.
 * @enum {string}
 */
export type Permission = "read" | "write" | "delete" | "manage";
/** What the key may do. A key can grant only permissions that it has itself. */
export type Permissions = Permission[];
/** What the new key may do. */
export interface ApiKeyRequest {
    /** The agent, by id or name, that the key is limited to; null or left out: the whole account. A key that is scoped to an agent makes keys for that agent alone. */
    agent_id?: AgentReference | null;
    /** A name for people, such as the program that uses the key. It need not be unique. */
    name: PrintableText;
    /** What the key may do. A key can grant only permissions that it has itself. */
    permissions: Permissions;
    /** When the key stops working, a moment in the future; null, never. Left out, it ends with the key that creates it. A key that has an end creates no key that lasts longer (400). */
    expires_at?: TimestampInput | null;
}
/** A new API key with its secret, which is shown this once. */
export interface CreatedApiKey {
    /** The id of an API key. It is not a secret, and it cannot be used to authenticate. */
    id: KeyId;
    /** The agent that it is limited to; null for the whole account. */
    agent_id: AgentId | null;
    /** A name for people, such as the program that uses the key. It need not be unique. */
    name: KeyName;
    /** What the key may do. New values may be added. */
    permissions: GrantedPermissions;
    /** The beginning and the last four characters, enough to recognise a key by. */
    preview: KeyPreview;
    /** A moment in UTC with milliseconds, as RFC 3339 writes it. */
    created_at: Timestamp;
    /** The id of the key that created this one; null if the operator made it. */
    created_by: KeyId | null;
    /** When it was last used; always null here, since the key is new. */
    last_used_at: Timestamp | null;
    /** When the key stops working; null, never. */
    expires_at: Timestamp | null;
    /** The key itself, for the `Authorization` header. Keep it secret and store it now: no later answer holds it. */
    key: string;
}
/** The envelope of a success. */
export interface CreatedApiKeyResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** A new API key with its secret, which is shown this once. */
    data: CreatedApiKey;
}
/** The key that no longer works. */
export interface ApiKeyRevocation {
    /** The id of an API key. It is not a secret, and it cannot be used to authenticate. */
    id: KeyId;
    /**
     * Always `true`.
     * @constant
     */
    revoked: true;
}
/** The envelope of a success. */
export interface ApiKeyRevocationResponse {
    /**
     * Always `true`.
     * @constant
     */
    success: true;
    /** The key that no longer works. */
    data: ApiKeyRevocation;
}
export interface ListAgentsQuery {
    /**
     * The most items to return.
     * @example 10
     */
    limit?: components["parameters"]["Limit"];
    /**
     * How many items to pass over, counted from the first.
     * @example 0
     */
    offset?: components["parameters"]["Offset"];
    /**
     * The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
     * @example -created_at
     */
    sort?: components["parameters"]["AgentSort"];
    /**
     * Only agents with this status.
     * @example running
     */
    status?: components["parameters"]["AgentStatusFilter"];
    /**
     * Only the agent with exactly this name.
     * @example support-bot
     */
    name?: components["parameters"]["AgentNameFilter"];
}
export interface ListDeploymentsQuery {
    /**
     * The most items to return.
     * @example 10
     */
    limit?: components["parameters"]["Limit"];
    /**
     * How many items to pass over, counted from the first.
     * @example 0
     */
    offset?: components["parameters"]["Offset"];
    /**
     * The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
     * @example -created_at
     */
    sort?: components["parameters"]["DeploymentSort"];
    /**
     * Only deployments in this environment.
     * @example production
     */
    environment?: components["parameters"]["EnvironmentFilter"];
    /**
     * Only deployments with this status.
     * @example active
     */
    status?: components["parameters"]["DeploymentStatusFilter"];
}
export interface GetLogsQuery {
    /**
     * The most entries to return.
     * @example 100
     */
    limit?: components["parameters"]["LogLimit"];
    /**
     * How many items to pass over, counted from the first.
     * @example 0
     */
    offset?: components["parameters"]["Offset"];
    /**
     * Only entries of exactly this level.
     * @example info
     */
    level?: components["parameters"]["LevelFilter"];
    /**
     * Only entries that this request caused.
     * @example req_01m6dsg7e0eha8ks12y199e68y
     */
    request_id?: components["parameters"]["RequestIdFilter"];
    /**
     * The start of the range, inclusive.
     * @example 2026-11-02T06:00:00Z
     */
    start_time?: components["parameters"]["StartTime"];
    /**
     * The end of the range, exclusive.
     * @example 2026-11-02T10:00:00Z
     */
    end_time?: components["parameters"]["EndTime"];
}
export interface GetMetricsQuery {
    /**
     * Which metric.
     * @example response_time
     */
    metric: components["parameters"]["Metric"];
    /**
     * The start of the range, inclusive.
     * @example 2026-11-02T06:00:00Z
     */
    start_time?: components["parameters"]["StartTime"];
    /**
     * The end of the range, exclusive.
     * @example 2026-11-02T10:00:00Z
     */
    end_time?: components["parameters"]["EndTime"];
    /**
     * The length of a bucket. The range may hold at most 1,500 buckets.
     * @example 1h
     */
    granularity?: components["parameters"]["GranularityParameter"];
}
export interface ListWebhooksQuery {
    /**
     * The most items to return.
     * @example 10
     */
    limit?: components["parameters"]["Limit"];
    /**
     * How many items to pass over, counted from the first.
     * @example 0
     */
    offset?: components["parameters"]["Offset"];
    /**
     * The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
     * @example -created_at
     */
    sort?: components["parameters"]["WebhookSort"];
    /**
     * Only those limited to this agent, by id or name. Those of the whole account are left out.
     * @example support-bot
     */
    agent_id?: components["parameters"]["AgentFilter"];
    /**
     * Only webhooks that receive this event.
     * @example agent.failed
     */
    event?: components["parameters"]["EventFilter"];
}
export interface ListApiKeysQuery {
    /**
     * The most items to return.
     * @example 10
     */
    limit?: components["parameters"]["Limit"];
    /**
     * How many items to pass over, counted from the first.
     * @example 0
     */
    offset?: components["parameters"]["Offset"];
    /**
     * The field to sort by; a leading `-` sorts in descending order. Keys that were never used come last when sorted by `last_used_at`, in both directions. Ties are broken by id, so pages never overlap.
     * @example -created_at
     */
    sort?: components["parameters"]["KeySort"];
    /**
     * Only those limited to this agent, by id or name. Those of the whole account are left out.
     * @example support-bot
     */
    agent_id?: components["parameters"]["AgentFilter"];
}
export interface paths {
    "/v1/agents/{agent_id}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoke an agent
         *
         * Sends a message to the agent and returns its reply. It runs the configuration that is active in `production`;
         *     before the first production deployment, the draft.
         *
         *     There are three forms of one operation:
         *
         *     - **Plain**: one JSON answer when the agent is done.
         *     - **Streamed**: with `Accept: text/event-stream` the reply arrives as server-sent events: `delta` events with pieces
         *       of text and `tool` events for what the agent does in between, then exactly one `done` with the whole result, or
         *       one `error`. What fails before the first piece is an ordinary error answer with its status.
         *     - **Asynchronous**: with `Prefer: respond-async` the answer is a 202 with the `request_id` as soon as the invocation
         *       is stored. The result arrives as an `agent.completed` or `agent.failed` event. Repeating the request with the same
         *       `Idempotency-Key` gives 202 while it runs, and the stored result, be it a reply or an error, after. With
         *       `Prefer: respond-async, wait=30` the repeat waits for that result, so that no webhook is needed. One that the operator
         *       cancels fails with `cancelled`; the repeat gets a 409 `conflict`.
         *
         *     If you leave before the answer is there, the model call is stopped and the invocation counts as failed; an
         *     asynchronous one goes on. With an `Idempotency-Key` a retry never runs the agent twice for one answer.
         *
         *     The message and the answer become part of the agent's memory and of the session, unless the agent's manifest or the
         *     request's `context` says `remember: false`. Then the service keeps neither them nor the user, the session and the context;
         *     an event to a webhook and the answer under an `Idempotency-Key` are kept for as long as they are needed.
         *
         *     A stream with an `Idempotency-Key` survives a lost connection. The invocation goes on without you for a grace time
         *     (30 seconds unless the operator says otherwise), and then is stopped; at once if you leave a request with
         *     `Prefer: grace=0`, be it the first or one that resumed the stream. Repeat the request with `Last-Event-ID`, the id of
         *     the last event that you have, and you get the events after it: none twice, none missing, from any instance, live
         *     while the agent runs, and after its end, for 24 hours; with `remember: false` for the grace time, after which any repeat is a
         *     409 `conflict` that runs nothing. Without `Last-Event-ID` the repeat gets the stream from its
         *     beginning; a repeat that does not accept events is a 409 while the agent runs. A stream that failed ends with its
         *     `error` when it is resumed as well; that is `unavailable` if the instance that ran the agent was lost. After an
         *     `error` the key is free: the request without `Last-Event-ID` runs the agent again.
         *
         *     An account has a limit on what runs at a time, by its tier unless the operator says otherwise: 10, 50 or 500
         *     invocations with an answer to wait for (`free`, `pro`, `enterprise`), and 100, 1 000 or 10 000 asynchronous ones that
         *     wait or run. More is a 429 `rate_limited`. While the answers that are being received take up the memory that the
         *     service has for them, further ones end with a 503 `unavailable`. Both say when to try again.
         *
         *     An agent and an account can have a budget of tokens, which renews at fixed times. Once it is used up, no model is
         *     called any more: invocations fail with a 429 `rate_limited` whose message says whose budget it is, and whose `Retry-After` is
         *     the time until it renews. An answer that is under way is finished unless it needs another call of a model. An asynchronous
         *     invocation is accepted, and fails with that error when its turn comes.
         */
        post: operations["invokeAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         *
         * Returns the account's agents, newest first unless `sort` says otherwise. A key that is scoped to an agent sees
         *     that agent alone.
         */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get an agent
         *
         * Returns the agent with its draft configuration, the instructions (the system prompt) included. What answers
         *     invocations is the configuration that `active_deployment_id` froze; before the first production deployment it is the
         *     draft.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         *
         * Deletes the agent with its deployments, memory, logs and webhooks, and the keys that are scoped to it. This cannot
         *     be undone. Its name is free again at once. Repeating the request is a 404. Nothing of it can be read any more; much
         *     that it has stored is erased in the background.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         *
         * Changes model, temperature and instructions of the draft configuration, and returns the agent; the rest of it is the
         *     operator's. Fields that are left out stay as they are, so sending the
         *     same body again changes nothing more. An agent that was deployed to production goes on answering with its active
         *     deployment until you create the next one.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/v1/agents/{agent_id}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * List deployments
         *
         * Returns the agent's deployments in all environments, newest first unless `sort` says otherwise. Sorting by
         *     `version` compares the labels as text.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Create a deployment
         *
         * Freezes the agent's draft configuration under `version` and makes it active in `environment`, replacing the one
         *     that was active there. Both happen at once or not at all. Invocations that start afterwards use it, on every
         *     instance.
         */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/deployments/{deployment_id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
                /**
                 * The deployment's id.
                 * @example dep_01m6dqs9m0fsw90fq1accfsmnf
                 */
                deployment_id: components["parameters"]["DeploymentIdParameter"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back a deployment
         *
         * Undoes the named deployment: it becomes `rolled_back`, and the one that it replaced becomes `active` again and is
         *     returned. Only an active deployment that replaced another can be rolled back. Of two rollbacks at once one wins;
         *     the other gets the 409. Takes no body.
         */
        post: operations["rollbackDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get logs
         *
         * Returns what the agent did, newest first: how each invocation went, configuration changes, and webhook deliveries
         *     that failed. All filters that you give must match; a `start_time` that is not before the `end_time` is a 400. Entries
         *     are kept for as long as the operator set. With a token, entries about other users come without the ids of these
         *     users and of their sessions.
         */
        get: operations["getLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get metrics
         *
         * Returns one metric of the agent's invocations over time. An invocation counts at the time when it was received, as
         *     soon as it has ended.
         *
         *     The range ends now and is 24 hours long, unless you say otherwise: `end_time` alone reaches back 24 hours,
         *     `start_time` alone reaches to now. It may hold at most 1,500 buckets: 25 hours at `1m`, 5 days at `5m`, 62 days at
         *     `1h`, 4 years at `1d`. More is a 400 that names the granularity that fits.
         *
         *     `response_time` leaves out buckets without invocations; `throughput`, `error_rate` and `token_usage` show them as 0. Of
         *     a bucket that lies only partly in the range, that part alone is counted, and its `throughput` is per minute of it.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/memory/search": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search memory
         *
         * Finds what was said in earlier invocations, best match first. Words match in their inflected and misspelt forms;
         *     where the operator configured an embedding model, meaning counts too. Of words that occur in very many entries,
         *     the latest of these are compared. With a token, only what was said with the token's user is searched. It changes
         *     nothing, so it is safe to retry.
         */
        post: operations["searchMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/memory": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Clear memory
         *
         * Deletes everything that the agent remembers, of all users and sessions; with a token, what it remembers of the
         *     token's user. This cannot be undone. Repeating it is
         *     safe: it clears 0 entries. Logs and metrics stay. Nothing of it can be found any more; many entries are erased in the
         *     background.
         */
        delete: operations["clearMemory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         *
         * Returns the account's webhooks with the state of their last delivery, newest first unless `sort` says otherwise. A
         *     key that is scoped to an agent sees the webhooks of that agent alone.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         *
         * Registers an address that receives events of one agent, or of every agent of the account. The answer holds the
         *     secret that signs the deliveries, this once.
         *
         *     An account may have 10 webhooks in tier `free`, 100 in `pro` and 1 000 in `enterprise`, unless the operator says
         *     otherwise. One more is a 409 `conflict` until another is deleted.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The webhook's id.
                 * @example wh_01m3y21g40em7a3s4w04zg1hhc
                 */
                webhook_id: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         *
         * Removes the webhook and drops its deliveries that are still waiting. Repeating the request is a 404.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         *
         * Returns the account's keys, without the keys themselves, newest first unless `sort` says otherwise. A key that is
         *     scoped to an agent sees the keys of that agent alone. Revoked keys are not listed; expired ones are.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         *
         * Creates a key for the account or for one agent. The answer holds the key itself, this once. The new key can have no
         *     permission that the calling key lacks (403), and a key that is scoped to an agent can make keys for that agent
         *     alone (404 for any other). It ends when the calling key ends, at the latest.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The key's id.
                 * @example key_01m6drbkj0e0avwty5ntqmgds4
                 */
                key_id: components["parameters"]["KeyIdParameter"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         *
         * Ends the key for good, on every instance within a second. A key may revoke itself. Repeating the request is a 404.
         *     Keys that it created go on working, so that a key can replace itself; they are those with its id in `created_by`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "agent.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent completed
         *
         * Sent after an invocation that answered, in any of its forms. Delivered at least once and in no particular order:
         *     drop what you have seen by its `id`. A 2xx within 15 seconds is success; otherwise the same bytes are sent again
         *     after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, later where your `Retry-After` asks for it.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * HMAC with SHA-256 of the raw body, keyed with the webhook's secret exactly as it was shown (with `whsec_`), in hex. Compare it in constant time before you parse the body, and answer 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * The event's id, the same on each attempt. Standard Webhooks.
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * When this attempt was made, in Unix seconds. Refuse what is older than a few minutes. Standard Webhooks.
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * `v1,` and HMAC with SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, keyed with the bytes that the part of the secret after `whsec_` encodes. Any Standard Webhooks library verifies it.
                     * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
                     */
                    "webhook-signature": components["parameters"]["DeliverySignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": AgentCompletedEvent;
                };
            };
            responses: {
                /** Gone. The webhook is disabled, and nothing more is sent to it. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** Received. The body of the answer is ignored. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "agent.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent failed
         *
         * Sent after an invocation that did not answer: the model failed, the time-out passed, the caller left, a budget
         *     was used up, or the operator cancelled it. Delivered like `agent.completed`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * HMAC with SHA-256 of the raw body, keyed with the webhook's secret exactly as it was shown (with `whsec_`), in hex. Compare it in constant time before you parse the body, and answer 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * The event's id, the same on each attempt. Standard Webhooks.
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * When this attempt was made, in Unix seconds. Refuse what is older than a few minutes. Standard Webhooks.
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * `v1,` and HMAC with SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, keyed with the bytes that the part of the secret after `whsec_` encodes. Any Standard Webhooks library verifies it.
                     * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
                     */
                    "webhook-signature": components["parameters"]["DeliverySignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": AgentFailedEvent;
                };
            };
            responses: {
                /** Gone. The webhook is disabled, and nothing more is sent to it. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** Received. The body of the answer is ignored. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AgentReference: AgentReference;
        UserId: UserId;
        SessionId: SessionId;
        InvocationContext: InvocationContext;
        InvocationRequest: InvocationRequest;
        RequestId: RequestId;
        TokenCount: TokenCount;
        DurationMs: DurationMs;
        Invocation: Invocation;
        InvocationResponse: InvocationResponse;
        InvocationEventId: InvocationEventId;
        InvocationDelta: InvocationDelta;
        InvocationDeltaEvent: InvocationDeltaEvent;
        InvocationToolCall: InvocationToolCall;
        InvocationToolEvent: InvocationToolEvent;
        InvocationDoneEvent: InvocationDoneEvent;
        ErrorCode: ErrorCode;
        FieldProblem: FieldProblem;
        ErrorDetail: ErrorDetail;
        InvocationErrorEvent: InvocationErrorEvent;
        InvocationEvent: InvocationEvent;
        AcceptedInvocation: AcceptedInvocation;
        AcceptedInvocationResponse: AcceptedInvocationResponse;
        ErrorResponse: ErrorResponse;
        AgentName: AgentName;
        AgentId: AgentId;
        AgentStatus: AgentStatus;
        Timestamp: Timestamp;
        AgentSummary: AgentSummary;
        Pagination: Pagination;
        AgentList: AgentList;
        ModelName: ModelName;
        Temperature: Temperature;
        Instructions: Instructions;
        DeployedSettings: DeployedSettings;
        AgentPolicy: AgentPolicy;
        DeploymentId: DeploymentId;
        Agent: Agent;
        AgentResponse: AgentResponse;
        AgentDeletion: AgentDeletion;
        AgentDeletionResponse: AgentDeletionResponse;
        AgentUpdate: AgentUpdate;
        Environment: Environment;
        VersionLabel: VersionLabel;
        DeploymentStatus: DeploymentStatus;
        KeyId: KeyId;
        Deployment: Deployment;
        DeploymentList: DeploymentList;
        DeploymentRequest: DeploymentRequest;
        DeploymentResponse: DeploymentResponse;
        LogLevel: LogLevel;
        TimestampInput: TimestampInput;
        LogId: LogId;
        LogMetadata: LogMetadata;
        LogEntry: LogEntry;
        LogList: LogList;
        MetricName: MetricName;
        Granularity: Granularity;
        MetricUnit: MetricUnit;
        MetricValue: MetricValue;
        MetricSeries: MetricSeries;
        MetricSeriesResponse: MetricSeriesResponse;
        MemoryFilter: MemoryFilter;
        MemorySearch: MemorySearch;
        MemoryId: MemoryId;
        MemoryMetadata: MemoryMetadata;
        MemoryMatch: MemoryMatch;
        MemoryMatchList: MemoryMatchList;
        MemoryClearing: MemoryClearing;
        MemoryClearingResponse: MemoryClearingResponse;
        EventType: EventType;
        WebhookId: WebhookId;
        WebhookUrl: WebhookUrl;
        DeliveredEvents: DeliveredEvents;
        WebhookStatus: WebhookStatus;
        WebhookDelivery: WebhookDelivery;
        Webhook: Webhook;
        WebhookList: WebhookList;
        EventTypes: EventTypes;
        WebhookRequest: WebhookRequest;
        CreatedWebhook: CreatedWebhook;
        CreatedWebhookResponse: CreatedWebhookResponse;
        EventId: EventId;
        AgentCompletion: AgentCompletion;
        AgentCompletedEvent: AgentCompletedEvent;
        InvocationFailure: InvocationFailure;
        AgentFailure: AgentFailure;
        AgentFailedEvent: AgentFailedEvent;
        WebhookEvent: WebhookEvent;
        WebhookDeletion: WebhookDeletion;
        WebhookDeletionResponse: WebhookDeletionResponse;
        KeyName: KeyName;
        GrantedPermissions: GrantedPermissions;
        KeyPreview: KeyPreview;
        ApiKey: ApiKey;
        ApiKeyList: ApiKeyList;
        PrintableText: PrintableText;
        Permission: Permission;
        Permissions: Permissions;
        ApiKeyRequest: ApiKeyRequest;
        CreatedApiKey: CreatedApiKey;
        CreatedApiKeyResponse: CreatedApiKeyResponse;
        ApiKeyRevocation: ApiKeyRevocation;
        ApiKeyRevocationResponse: ApiKeyRevocationResponse;
    };
    responses: {
        /** The agent answered. */
        InvocationAnswered: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": InvocationResponse;
                "text/event-stream": string;
            };
        };
        /** The invocation was stored and will run, also if the process is killed now. */
        InvocationAccepted: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": AcceptedInvocationResponse;
            };
        };
        /** A parameter, header or body field is missing or wrong; `details` names each. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The key or token is missing, unknown, expired or revoked. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The key lacks the permission, or the agent's security settings refuse the request. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** There is no such agent, or the key may not see it. */
        AgentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The path exists, but not with this method. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The agent is stopped, a request with the same Idempotency-Key still runs, the operator cancelled the asynchronous invocation that this request repeats, or nothing is known of the stream that `Last-Event-ID` names. */
        InvocationConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The body is larger than 1 MiB. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The body is not `application/json`. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The Idempotency-Key was used with another body. */
        IdempotencyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** Too many requests of the account or to the agent, too many of its invocations at a time, too many failed authentications from the address, or a budget of tokens that is used up. */
        InvocationRateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** A fault of the service. */
        ServerError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The model provider, the agent's own endpoint or an MCP server failed or answered nonsense, also after two retries. The message says which. */
        UpstreamError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The model provider or the agent's own endpoint limits its rate, or the service cannot take the request now. */
        InvocationUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The agent took longer than its time-out (60 seconds unless the operator set another). */
        Timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** A page of agents. */
        AgentsListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": AgentList;
            };
        };
        /** Too many requests of the account or to the agent, too many of its invocations at a time, or too many failed authentications from the address. Takes nothing from the bucket. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The service cannot take the request now. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The agent. */
        AgentReturned: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": AgentResponse;
            };
        };
        /** The agent and all that belonged to it are gone. */
        AgentDeleted: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": AgentDeletionResponse;
            };
        };
        /** The key lacks the permission, or the agent's security settings refuse the request or ask for a one-time code. */
        ForbiddenOrMfa: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** A field is missing or wrong, or the model's provider is unknown or not configured; `details` names each. */
        InvalidConfiguration: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** A page of deployments. */
        DeploymentsListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": DeploymentList;
            };
        };
        /** The deployment, active now. */
        DeploymentCreated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": DeploymentResponse;
            };
        };
        /** The version label is taken, or a request with the same Idempotency-Key still runs. */
        DeploymentConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The deployment that is active now. */
        DeploymentRolledBack: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": DeploymentResponse;
            };
        };
        /** There is no such agent or deployment, or the key may not see it. */
        DeploymentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The deployment is not active or replaced nothing, or a request with the same Idempotency-Key still runs. */
        RollbackConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** A page of log entries, newest first. */
        LogsListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": LogList;
            };
        };
        /** The series. */
        MetricsReturned: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": MetricSeriesResponse;
            };
        };
        /** The best matches, best first. `offset` is always 0, and `total` is the number of matches that were compared, at most 1,000. Their contents are at most 4 MB together: fewer are returned where they would be more, and the first in any case. */
        MemorySearched: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": MemoryMatchList;
            };
        };
        /** The memory is empty. */
        MemoryCleared: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": MemoryClearingResponse;
            };
        };
        /** A page of webhooks. */
        WebhooksListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": WebhookList;
            };
        };
        /** The webhook with its secret, shown this once. */
        WebhookCreated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": CreatedWebhookResponse;
            };
        };
        /** The account has as many webhooks as its tier allows, or a request with the same Idempotency-Key still runs. */
        WebhookConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The webhook is gone. A delivery that is under way may still arrive. */
        WebhookDeleted: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": WebhookDeletionResponse;
            };
        };
        /** There is no such webhook, or the key may not see it. */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** A page of keys. Revoked keys are not listed. */
        ApiKeysListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ApiKeyList;
            };
        };
        /** The key record with its key, shown this once. */
        ApiKeyCreated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": CreatedApiKeyResponse;
            };
        };
        /** A request with the same Idempotency-Key still runs. */
        StillRunning: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
        /** The key no longer works, on any instance, within a second. */
        ApiKeyRevoked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ApiKeyRevocationResponse;
            };
        };
        /** There is no such key, it is revoked already, or the caller may not see it. */
        KeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": ErrorResponse;
            };
        };
    };
    parameters: {
        /**
         * The agent's id or its name.
         * @example support-bot
         */
        AgentIdParameter: AgentReference;
        /**
         * Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * `respond-async` asks for 202 at once; the result arrives by webhook. `wait=30` lets a repeat of the request with its `Idempotency-Key` wait for that result, for as many seconds and 60 at most; if there is none by then, it is a 202 again. `grace=0` says that you will not come back if you leave a stream with an `Idempotency-Key`: its invocation is stopped then, instead of after its grace time. Preferences that the service does not know are ignored, as RFC 7240 asks.
         * @example respond-async
         */
        Prefer: string;
        /**
         * Resumes a stream after a lost connection: the id of the last event that you received, or `0` for the beginning. Repeat the request with the same `Idempotency-Key`, the same body and `Accept: text/event-stream`, at any instance, to get the events that come after it. It never runs the agent: where nothing is known of that stream any more, the answer is a 409, and without `Idempotency-Key` or `Accept: text/event-stream` it is a 400.
         * @example req_01m6dsg7e0eha8ks12y199e68y.2
         */
        LastEventId: string;
        /**
         * The most items to return.
         * @example 10
         */
        Limit: number;
        /**
         * How many items to pass over, counted from the first.
         * @example 0
         */
        Offset: number;
        /**
         * The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        AgentSort: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name";
        /**
         * Only agents with this status.
         * @example running
         */
        AgentStatusFilter: "running" | "stopped";
        /**
         * Only the agent with exactly this name.
         * @example support-bot
         */
        AgentNameFilter: AgentName;
        /**
         * A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once.
         * @example 492039
         */
        MfaCode: string;
        /**
         * The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        DeploymentSort: "created_at" | "-created_at" | "version" | "-version";
        /**
         * Only deployments in this environment.
         * @example production
         */
        EnvironmentFilter: Environment;
        /**
         * Only deployments with this status.
         * @example active
         */
        DeploymentStatusFilter: "active" | "superseded" | "rolled_back";
        /**
         * The deployment's id.
         * @example dep_01m6dqs9m0fsw90fq1accfsmnf
         */
        DeploymentIdParameter: DeploymentId;
        /**
         * The most entries to return.
         * @example 100
         */
        LogLimit: number;
        /**
         * Only entries of exactly this level.
         * @example info
         */
        LevelFilter: LogLevel;
        /**
         * Only entries that this request caused.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        RequestIdFilter: RequestId;
        /**
         * The start of the range, inclusive.
         * @example 2026-11-02T06:00:00Z
         */
        StartTime: TimestampInput;
        /**
         * The end of the range, exclusive.
         * @example 2026-11-02T10:00:00Z
         */
        EndTime: TimestampInput;
        /**
         * Which metric.
         * @example response_time
         */
        Metric: MetricName;
        /**
         * The length of a bucket. The range may hold at most 1,500 buckets.
         * @example 1h
         */
        GranularityParameter: Granularity;
        /**
         * The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        WebhookSort: "created_at" | "-created_at";
        /**
         * Only those limited to this agent, by id or name. Those of the whole account are left out.
         * @example support-bot
         */
        AgentFilter: AgentReference;
        /**
         * Only webhooks that receive this event.
         * @example agent.failed
         */
        EventFilter: EventType;
        /**
         * HMAC with SHA-256 of the raw body, keyed with the webhook's secret exactly as it was shown (with `whsec_`), in hex. Compare it in constant time before you parse the body, and answer 401 if it differs.
         * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
         */
        ServiceSignature: string;
        /**
         * The event's id, the same on each attempt. Standard Webhooks.
         * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
         */
        DeliveryId: EventId;
        /**
         * When this attempt was made, in Unix seconds. Refuse what is older than a few minutes. Standard Webhooks.
         * @example 1793611801
         */
        DeliveryTimestamp: number;
        /**
         * `v1,` and HMAC with SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, keyed with the bytes that the part of the secret after `whsec_` encodes. Any Standard Webhooks library verifies it.
         * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
         */
        DeliverySignature: string;
        /**
         * The webhook's id.
         * @example wh_01m3y21g40em7a3s4w04zg1hhc
         */
        WebhookIdParameter: WebhookId;
        /**
         * The field to sort by; a leading `-` sorts in descending order. Keys that were never used come last when sorted by `last_used_at`, in both directions. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        KeySort: "created_at" | "-created_at" | "name" | "-name" | "last_used_at" | "-last_used_at";
        /**
         * The key's id.
         * @example key_01m6drbkj0e0avwty5ntqmgds4
         */
        KeyIdParameter: KeyId;
    };
    requestBodies: never;
    headers: {
        /**
         * The id of this request, on every answer. Log entries and events that it caused carry the same id.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        "X-Request-Id": RequestId;
        /**
         * How many requests the account's bucket holds when it is full, the burst of its tier.
         * @example 2000
         */
        "X-RateLimit-Limit": number;
        /**
         * How many requests are left in the bucket now.
         * @example 1993
         */
        "X-RateLimit-Remaining": number;
        /**
         * When the bucket is full again if nothing more is sent, in Unix seconds.
         * @example 1793611801
         */
        "X-RateLimit-Reset": number;
        /**
         * `true` when this is the stored answer to an earlier request with the same `Idempotency-Key`; otherwise absent.
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * `respond-async`, when the preference was honoured.
         * @example respond-async
         */
        "Preference-Applied": "respond-async";
        /**
         * How to authenticate, as RFC 6750 writes it.
         * @example Bearer realm="agent-hosting"
         */
        "WWW-Authenticate": string;
        /**
         * The methods that this path has.
         * @example GET, HEAD, OPTIONS, PATCH, DELETE
         */
        Allow: string;
        /**
         * Seconds to wait before the next try, equal to `error.retry_after`.
         * @example 12
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    invokeAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * `respond-async` asks for 202 at once; the result arrives by webhook. `wait=30` lets a repeat of the request with its `Idempotency-Key` wait for that result, for as many seconds and 60 at most; if there is none by then, it is a 202 again. `grace=0` says that you will not come back if you leave a stream with an `Idempotency-Key`: its invocation is stopped then, instead of after its grace time. Preferences that the service does not know are ignored, as RFC 7240 asks.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
                /**
                 * Resumes a stream after a lost connection: the id of the last event that you received, or `0` for the beginning. Repeat the request with the same `Idempotency-Key`, the same body and `Accept: text/event-stream`, at any instance, to get the events that come after it. It never runs the agent: where nothing is known of that stream any more, the answer is a 409, and without `Idempotency-Key` or `Accept: text/event-stream` it is a 400.
                 * @example req_01m6dsg7e0eha8ks12y199e68y.2
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": InvocationRequest;
            };
        };
        responses: {
            200: components["responses"]["InvocationAnswered"];
            202: components["responses"]["InvocationAccepted"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["InvocationConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["InvocationRateLimited"];
            500: components["responses"]["ServerError"];
            502: components["responses"]["UpstreamError"];
            503: components["responses"]["InvocationUnavailable"];
            504: components["responses"]["Timeout"];
        };
    };
    listAgents: {
        parameters: {
            query?: ListAgentsQuery;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AgentsListed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AgentReturned"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AgentDeleted"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrMfa"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": AgentUpdate;
            };
        };
        responses: {
            200: components["responses"]["AgentReturned"];
            400: components["responses"]["InvalidConfiguration"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrMfa"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeployments: {
        parameters: {
            query?: ListDeploymentsQuery;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeploymentsListed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": DeploymentRequest;
            };
        };
        responses: {
            201: components["responses"]["DeploymentCreated"];
            400: components["responses"]["InvalidConfiguration"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["DeploymentConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rollbackDeployment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
                /**
                 * The deployment's id.
                 * @example dep_01m6dqs9m0fsw90fq1accfsmnf
                 */
                deployment_id: components["parameters"]["DeploymentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeploymentRolledBack"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["DeploymentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["RollbackConflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLogs: {
        parameters: {
            query?: GetLogsQuery;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LogsListed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query: GetMetricsQuery;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MetricsReturned"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": MemorySearch;
            };
        };
        responses: {
            200: components["responses"]["MemorySearched"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    clearMemory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MemoryCleared"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: ListWebhooksQuery;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhooksListed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": WebhookRequest;
            };
        };
        responses: {
            201: components["responses"]["WebhookCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["WebhookConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The webhook's id.
                 * @example wh_01m3y21g40em7a3s4w04zg1hhc
                 */
                webhook_id: components["parameters"]["WebhookIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookDeleted"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["WebhookNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: ListApiKeysQuery;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApiKeysListed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": ApiKeyRequest;
            };
        };
        responses: {
            201: components["responses"]["ApiKeyCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["StillRunning"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * The key's id.
                 * @example key_01m6drbkj0e0avwty5ntqmgds4
                 */
                key_id: components["parameters"]["KeyIdParameter"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApiKeyRevoked"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["KeyNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["ServerError"];
            503: components["responses"]["Unavailable"];
        };
    };
}

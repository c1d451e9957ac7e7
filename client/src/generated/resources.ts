// Generated from spec/ by npm run generate. Do not edit.

import type { ApiClient } from '../api-client.js';
import type { ApiPromise } from '../api-promise.js';
import type { AsyncInvocation } from '../async-invocation.js';
import type { InvocationResult } from '../invocation.js';
import type { IdempotentOptions, RequestOptions } from '../options.js';
import type { Pages } from '../pagination.js';
import type { InvocationStream } from '../streaming.js';
import type * as schema from './schema.js';

export interface InvokeAgentOptions extends IdempotentOptions {
    /** Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
    /** What the agent's tools send as `${caller.token}`: the whole value of an Authorization header, such as `Bearer` and a token of the user for your API. By default it is `Bearer` and your own token; an API key is never sent to a tool. The service keeps it encrypted until the invocation ends, and removes it from whatever a tool returns. It is a 400 if no tool of the agent uses it. */
    toolAuthorization?: string | undefined;
}

export interface UpdateAgentOptions extends RequestOptions {
    /** A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once. */
    mfaCode?: string | undefined;
}

export interface DeleteAgentOptions extends RequestOptions {
    /** A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once. */
    mfaCode?: string | undefined;
}

export interface CreateDeploymentOptions extends IdempotentOptions {
    /** Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
    /** A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once. */
    mfaCode?: string | undefined;
}

export interface RollbackDeploymentOptions extends IdempotentOptions {
    /** Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
    /** A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once. */
    mfaCode?: string | undefined;
}

export interface CreateWebhookOptions extends IdempotentOptions {
    /** Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

export interface CreateApiKeyOptions extends IdempotentOptions {
    /** Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

/** Invoke agents and manage their draft configuration. The operator creates agents from manifests. */
export interface Agents {
    readonly invoke: {
        /**
         * Invoke an agent
         *
         * Sends a message to the agent and returns its reply. The agent runs with the configuration that is active in
         * `production`, or with the draft before the first production deployment. `environment` names another one: `draft`,
         * or an environment with an active deployment; otherwise the response is a 404 that names it. A token may only use
         * `production`; anything else is a 403. Sessions, their histories and what `recall` finds are separate for each
         * environment. Budgets, limits and security settings are those of the agent, and tools act for real.
         *
         * The operation has three forms:
         *
         * - **Plain**: one JSON response when the agent has finished.
         * - **Streamed**: with `Accept: text/event-stream`, the reply arrives as server-sent events: `delta` events with
         *   text and `tool` events for tool calls, then exactly one `done` with the whole result or one `error`. The headers
         *   are sent as soon as the invocation is accepted, and a comment every 15 seconds while the agent is silent. A
         *   request that is not accepted gets a normal error response with its status; a failure after that, such as one of
         *   the model, is an `error` event.
         * - **Asynchronous**: with `Prefer: respond-async`, the response is a 202 with the `request_id`, sent once the
         *   invocation is stored. The result arrives as an `agent.completed`, `agent.failed` or `agent.paused` event.
         *   Repeating the request with the same `Idempotency-Key` returns a 202 while the invocation runs, and its result, a
         *   reply or an error, afterwards. With `Prefer: respond-async, wait=30` the repeat waits for the result, so no
         *   webhook is needed.
         *
         * A plain or streamed invocation takes at most 10 minutes, whatever the agent's timeout. If you disconnect before
         * the response arrives, the model call is stopped and the invocation counts as failed; an asynchronous invocation
         * continues.
         *
         * With an `Idempotency-Key`, a retry does not run the agent again if the first request succeeded or is still
         * running. With a key, or asynchronously, an invocation that calls tools is also stored step by step. If its instance
         * stops or is lost, a repeat of the request goes on after the last stored step, at any instance; an asynchronous
         * invocation goes on by itself. A call that had a result is never repeated. A call that had begun without one is
         * repeated only if it is a `GET`, has `repeat: true` in the manifest, or is an MCP tool declared read-only or
         * idempotent; otherwise the model is told that its effect is unknown. If the invocation itself fails after a tool
         * call, because the model failed, its time was up or it was cancelled, the error is stored, and repeats get it with
         * `retryable: false`. Send a new key to run the agent again, with the effects of its tools.
         *
         * **Approvals**: if the agent calls a tool that needs approval, the invocation pauses before any call of that step
         * is made. The result has the status `requires_approval`, the text so far, and the pending calls in `approvals`;
         * the event `agent.paused` has the same. To go on, invoke the agent with `resume`. The session is not held meanwhile.
         * An invocation that nobody decides in time ends with an `agent.failed` event with the code `timeout`.
         *
         * **Acting for the user**: if the agent's manifest passes values of `context` or the caller's token to its tools, an
         * invocation that lacks one gets a 400 that names it. They are taken when the invocation begins, and `resume` does not
         * change them, except for the token: a request that goes on may bring a new one.
         *
         * **Cancelling**: repeat a request with its `Idempotency-Key` and `Prefer: cancel` to stop its invocation, at whatever
         * instance it runs. The response is a 202, and the invocation fails with `cancelled`; further repeats get a 409
         * `conflict`. If it waits for approval, it is closed. If it had already ended, you get the stored response, and if no
         * request has the key, a 404 `not_found`; in neither case does anything run. The operator can cancel an asynchronous
         * invocation, too.
         *
         * **Agents that ask agents**: an agent may have other agents of the account as tools. Each runs as an invocation of its
         * own, with its own request id, log, usage and budget; `tokens_used` and `usage` are the sum. They stop with the
         * invocation that asked. Requests of tools, MCP servers and `http/…` agents say in their `tracestate` header how many
         * runs they are deep, as `agent-hosting=d:1`. Send the header on if you invoke an agent from there: beyond 5, a request
         * gets a 409 `conflict`, so a loop ends.
         *
         * `finish_reason` says how a completed reply ended. A reply that the provider's content filter left without text is a 502
         * `upstream_error`. A message that alone is too long for the model's context window is a 413 `payload_too_large`;
         * earlier turns of the session are left out if they do not fit.
         *
         * The message and the reply become part of the agent's memory and of the session, unless the agent's manifest or
         * the request's `context` has `remember: false`. In that case the service does not keep the message, reply, user,
         * session or context. The webhook event and the response stored for an `Idempotency-Key` are kept for as long as
         * they are needed.
         *
         * A stream with an `Idempotency-Key` survives a lost connection. The invocation continues for a grace period (30
         * seconds by default) and is then stopped. With `Prefer: grace=0`, on the first request or on one that resumed the
         * stream, it is stopped as soon as that request disconnects. To resume, repeat the request with `Last-Event-ID`
         * set to the id of the last event that you received. You get every event after it exactly once, from any instance:
         * live while the agent runs, and for 24 hours after it has finished. With `remember: false` the stream can be
         * resumed for the grace period after its end; later repeats get a 409 `conflict` and do not run the agent.
         *
         * Without `Last-Event-ID`, a repeat gets the stream from its beginning. A repeat that does not accept events gets
         * a 409 while the agent runs. A failed stream ends with its `error` when it is resumed; the code is `unavailable`
         * if the instance that ran the agent was lost. After that, repeat the request without `Last-Event-ID` to go on: the
         * new stream begins with the text and the `tool` events of the stored steps.
         *
         * Each account has a limit on concurrent invocations. The defaults for `free`, `pro` and `enterprise` are 10, 50
         * and 500 plain and streamed invocations, and 100, 1,000 and 10,000 queued or running asynchronous ones. Above the
         * limit, requests get a 429 `rate_limited`. If the service has no memory left for further replies, requests get a
         * 503 `unavailable`. Both responses say when to retry.
         *
         * An agent and an account can have a token budget, which renews at fixed times. Once it is used up, no model is
         * called: invocations get a 429 `rate_limited` whose message names the budget and whose `Retry-After` is the time
         * until it renews. A running invocation finishes unless it needs another model call. An asynchronous invocation is
         * accepted, and fails with that error when it runs.
         *
         * @param agentId The agent's id or name.
         * @param body A message to the agent.
         */
        (agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions & { stream?: false | undefined }): ApiPromise<InvocationResult>;
        /** Invoke an agent, streamed: the reply piece by piece, then the whole result. */
        (agentId: schema.AgentReference, body: schema.InvocationRequest, options: InvokeAgentOptions & { stream: true }): InvocationStream;
    };
    /**
     * Invoke an agent, asynchronously
     *
     * Resolves as soon as the service has stored the invocation; `result()` waits for the result, which is also sent to webhooks.
     * Repeating the call with the same `idempotencyKey` returns the same invocation.
     */
    readonly invokeAsync: (agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions) => AsyncInvocation;
    /**
     * List agents
     *
     * Returns the account's agents, newest first by default. A key that is limited to an agent sees only that agent.
     * Agents whose security settings reject the request are left out.
     */
    readonly list: (query?: schema.ListAgentsQuery, options?: RequestOptions) => Pages<schema.AgentSummary>;
    /**
     * Get an agent
     *
     * Returns the agent with its draft configuration, including the instructions (the system prompt). Invocations use
     * the configuration of `active_deployment_id`, or the draft before the first production deployment.
     *
     * @param agentId The agent's id or name.
     */
    readonly get: (agentId: schema.AgentReference, options?: RequestOptions) => ApiPromise<schema.Agent>;
    /**
     * Update an agent
     *
     * Changes the model, temperature or instructions of the draft configuration and returns the agent. Only the
     * operator can change the other settings. Omitted fields keep their values, so repeating the request has no
     * further effect. An agent that is deployed to production keeps using its active deployment until you create the
     * next one.
     *
     * @param agentId The agent's id or name.
     * @param body The fields of the draft configuration to change. Omitted fields keep their values.
     */
    readonly update: (agentId: schema.AgentReference, body: schema.AgentUpdate, options?: UpdateAgentOptions) => ApiPromise<schema.Agent>;
    /**
     * Delete an agent
     *
     * Deletes the agent with its deployments, memory, logs, webhooks and the keys that are limited to it. This cannot
     * be undone. The data is inaccessible and the name can be reused immediately; large amounts of data are erased in
     * the background. Repeating the request returns a 404.
     *
     * @param agentId The agent's id or name.
     */
    readonly delete: (agentId: schema.AgentReference, options?: DeleteAgentOptions) => ApiPromise<schema.AgentDeletion>;
}

/** Freeze an agent's configuration under a version, activate it, and roll it back. */
export interface Deployments {
    /**
     * List deployments
     *
     * Returns the agent's deployments in all environments, newest first by default. Sorting by `version` compares the
     * labels as text.
     *
     * @param agentId The agent's id or name.
     */
    readonly list: (agentId: schema.AgentReference, query?: schema.ListDeploymentsQuery, options?: RequestOptions) => Pages<schema.Deployment>;
    /**
     * Create a deployment
     *
     * Freezes the agent's draft configuration under `version` and activates it in `environment`, replacing the
     * deployment that is active there. The change is atomic, and invocations that start afterwards use it on every
     * instance. `draft` cannot be deployed to: in an invocation, it names the configuration that is not deployed.
     *
     * @param agentId The agent's id or name.
     * @param body The environment to activate the draft configuration in, and its version label.
     */
    readonly create: (agentId: schema.AgentReference, body: schema.DeploymentRequest, options?: CreateDeploymentOptions) => ApiPromise<schema.Deployment>;
    /**
     * Roll back a deployment
     *
     * Rolls back the deployment: its status becomes `rolled_back`, and the deployment that it replaced becomes
     * `active` again and is returned. Only an active deployment that replaced another one can be rolled back. If two
     * requests roll back the same deployment, one succeeds and the other gets a 409. The request has no body.
     *
     * @param agentId The agent's id or name.
     * @param deploymentId The deployment's id.
     */
    readonly rollback: (agentId: schema.AgentReference, deploymentId: schema.DeploymentId, options?: RollbackDeploymentOptions) => ApiPromise<schema.Deployment>;
}

/** An agent's invocations, configuration changes and failed deliveries. */
export interface Logs {
    /**
     * Get logs
     *
     * Returns the agent's log, newest first: the outcome of each invocation, configuration changes, and failed webhook
     * deliveries. Entries must match all given filters. A `start_time` that is not before `end_time` is a 400. The
     * operator configures how long entries are kept. With a token, entries that are not about its own
     * user keep only their time, level, message and ids: the rest of their metadata is left out.
     *
     * @param agentId The agent's id or name.
     */
    readonly list: (agentId: schema.AgentReference, query?: schema.GetLogsQuery, options?: RequestOptions) => Pages<schema.LogEntry>;
}

/** Response time, throughput, error rate and token usage of an agent over time. */
export interface Metrics {
    /**
     * Get metrics
     *
     * Returns one metric of the agent's invocations over time. An invocation is counted once it has ended, at the time
     * when it was received.
     *
     * By default the range is the last 24 hours. With only `end_time`, it is the 24 hours before it; with only
     * `start_time`, it ends now. A range can have at most 1,500 buckets: 25 hours at `1m`, 5 days at `5m`, 62 days at
     * `1h`, 4 years at `1d`. A longer range is a 400 that names a granularity that fits.
     *
     * `response_time` omits buckets without invocations; `throughput`, `error_rate` and `token_usage` return 0 for
     * them. If a bucket lies partly outside the range, only the part inside is counted, and its `throughput` is per
     * minute of that part.
     *
     * @param agentId The agent's id or name.
     */
    readonly get: (agentId: schema.AgentReference, query: schema.GetMetricsQuery, options?: RequestOptions) => ApiPromise<schema.MetricSeries>;
}

/** The messages and replies that an agent remembers. */
export interface Memory {
    /**
     * Search memory
     *
     * Searches the messages and replies of earlier invocations and returns the best matches first. Inflected forms of
     * words match; if the operator configured an embedding model, entries with a similar meaning match too. For words
     * that occur in very many entries, not all of those are compared. With a token, only the entries of the token's user
     * are searched. The operation changes nothing, so it is safe to retry.
     *
     * @param agentId The agent's id or name.
     * @param body A search query.
     */
    readonly search: (agentId: schema.AgentReference, body: schema.MemorySearch, options?: RequestOptions) => Pages<schema.MemoryMatch>;
    /**
     * Clear memory
     *
     * Deletes the agent's whole memory, for all users and sessions; with a token, only the memory of the token's user.
     * This cannot be undone. Logs and metrics are kept. The whole memory is inaccessible immediately and erased in the
     * background; the memory of one user is erased before the answer. The request is safe to retry: a repeat clears what
     * an interrupted request has left, or 0 entries.
     *
     * @param agentId The agent's id or name.
     */
    readonly clear: (agentId: schema.AgentReference, options?: RequestOptions) => ApiPromise<schema.MemoryClearing>;
}

/** URLs that receive events. */
export interface Webhooks {
    /**
     * List webhooks
     *
     * Returns the account's webhooks with the state of their last delivery, newest first by default. A key that is
     * limited to an agent sees only the webhooks of that agent. Webhooks of agents whose security settings reject the
     * request are left out.
     */
    readonly list: (query?: schema.ListWebhooksQuery, options?: RequestOptions) => Pages<schema.Webhook>;
    /**
     * Create a webhook
     *
     * Registers a URL that receives the events of one agent, or of all agents of the account. The response contains
     * the secret that signs the deliveries, which is shown only once.
     *
     * By default an account can have 10 webhooks in tier `free`, 100 in `pro` and 1,000 in `enterprise`. Above the
     * limit, the response is a 409 `conflict` until a webhook is deleted.
     *
     * @param body The URL and its events.
     */
    readonly create: (body: schema.WebhookRequest, options?: CreateWebhookOptions) => ApiPromise<schema.CreatedWebhook>;
    /**
     * Delete a webhook
     *
     * Deletes the webhook and discards its pending deliveries. Repeating the request returns a 404.
     *
     * @param webhookId The webhook's id.
     */
    readonly delete: (webhookId: schema.WebhookId, options?: RequestOptions) => ApiPromise<schema.WebhookDeletion>;
}

/** API keys and their permissions. */
export interface Keys {
    /**
     * List API keys
     *
     * Returns the account's keys without their secrets, newest first by default. A key that is limited to an agent
     * sees only the keys of that agent. Expired keys are listed; revoked keys are not. Keys of agents whose security
     * settings reject the request are left out.
     */
    readonly list: (query?: schema.ListApiKeysQuery, options?: RequestOptions) => Pages<schema.ApiKey>;
    /**
     * Create an API key
     *
     * Creates a key for the account or for one agent. The response contains the key itself, which is shown only once.
     * The new key cannot have permissions that the calling key lacks (403). A key that is limited to an agent can
     * create keys only for that agent (404 for any other). The new key expires no later than the calling key.
     *
     * `replaces` rotates a key: the replaced one keeps working until the given time, so that its users can change over.
     * It must be a key that the calling key could revoke (404).
     *
     * @param body The permissions and scope of the new key.
     */
    readonly create: (body: schema.ApiKeyRequest, options?: CreateApiKeyOptions) => ApiPromise<schema.CreatedApiKey>;
    /**
     * Revoke an API key
     *
     * Revokes the key permanently, on every instance within a second. A key can revoke itself. Keys that it created
     * (those with its id in `created_by`) stay valid, so a key can replace itself. Repeating the request returns a
     * 404.
     *
     * @param keyId The key's id.
     */
    readonly revoke: (keyId: schema.KeyId, options?: RequestOptions) => ApiPromise<schema.ApiKeyRevocation>;
}

/** Every operation of the contract. */
export interface Resources {
    /** Invoke agents and manage their draft configuration. The operator creates agents from manifests. */
    readonly agents: Agents;
    /** Freeze an agent's configuration under a version, activate it, and roll it back. */
    readonly deployments: Deployments;
    /** An agent's invocations, configuration changes and failed deliveries. */
    readonly logs: Logs;
    /** Response time, throughput, error rate and token usage of an agent over time. */
    readonly metrics: Metrics;
    /** The messages and replies that an agent remembers. */
    readonly memory: Memory;
    /** URLs that receive events. */
    readonly webhooks: Webhooks;
    /** API keys and their permissions. */
    readonly keys: Keys;
}

export function createResources({ request, stream, submit, list }: ApiClient): Resources {
    function invoke(agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions & { stream?: false | undefined }): ApiPromise<InvocationResult>;
    function invoke(agentId: schema.AgentReference, body: schema.InvocationRequest, options: InvokeAgentOptions & { stream: true }): InvocationStream;
    function invoke(agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions & { stream?: boolean | undefined }): InvocationStream | ApiPromise<InvocationResult> {
        return (options?.stream ? stream : request)('post', '/v1/agents/{agent_id}/invoke', { path: { agent_id: agentId }, body, options });
    }

    return {
        agents: {
            invoke,
            invokeAsync: (agentId, body, options) => submit('post', '/v1/agents/{agent_id}/invoke', { path: { agent_id: agentId }, body, options }),
            list: (query, options) => list('get', '/v1/agents', { query, options }),
            get: (agentId, options) => request('get', '/v1/agents/{agent_id}', { path: { agent_id: agentId }, options }),
            update: (agentId, body, options) => request('patch', '/v1/agents/{agent_id}', { path: { agent_id: agentId }, body, options }),
            delete: (agentId, options) => request('delete', '/v1/agents/{agent_id}', { path: { agent_id: agentId }, options }),
        },
        deployments: {
            list: (agentId, query, options) => list('get', '/v1/agents/{agent_id}/deployments', { path: { agent_id: agentId }, query, options }),
            create: (agentId, body, options) => request('post', '/v1/agents/{agent_id}/deployments', { path: { agent_id: agentId }, body, options }),
            rollback: (agentId, deploymentId, options) => request('post', '/v1/agents/{agent_id}/deployments/{deployment_id}/rollback', { path: { agent_id: agentId, deployment_id: deploymentId }, options }),
        },
        logs: {
            list: (agentId, query, options) => list('get', '/v1/agents/{agent_id}/logs', { path: { agent_id: agentId }, query, options }),
        },
        metrics: {
            get: (agentId, query, options) => request('get', '/v1/agents/{agent_id}/metrics', { path: { agent_id: agentId }, query, options }),
        },
        memory: {
            search: (agentId, body, options) => list('post', '/v1/agents/{agent_id}/memory/search', { path: { agent_id: agentId }, body, options }),
            clear: (agentId, options) => request('delete', '/v1/agents/{agent_id}/memory', { path: { agent_id: agentId }, options }),
        },
        webhooks: {
            list: (query, options) => list('get', '/v1/webhooks', { query, options }),
            create: (body, options) => request('post', '/v1/webhooks', { body, options }),
            delete: (webhookId, options) => request('delete', '/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId }, options }),
        },
        keys: {
            list: (query, options) => list('get', '/v1/keys', { query, options }),
            create: (body, options) => request('post', '/v1/keys', { body, options }),
            revoke: (keyId, options) => request('delete', '/v1/keys/{key_id}', { path: { key_id: keyId }, options }),
        },
    };
}

// Generated from spec/ by npm run generate. Do not edit.

import type { ApiClient } from '../api-client.js';
import type { ApiPromise } from '../api-promise.js';
import type { AsyncInvocation } from '../async-invocation.js';
import type { IdempotentOptions, RequestOptions } from '../options.js';
import type { Pages } from '../pagination.js';
import type { InvocationStream } from '../streaming.js';
import type * as schema from './schema.js';

export interface InvokeAgentOptions extends IdempotentOptions {
    /** Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

export interface UpdateAgentOptions extends RequestOptions {
    /** A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once. */
    mfaCode?: string | undefined;
}

export interface DeleteAgentOptions extends RequestOptions {
    /** A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once. */
    mfaCode?: string | undefined;
}

export interface CreateDeploymentOptions extends IdempotentOptions {
    /** Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

export interface RollbackDeploymentOptions extends IdempotentOptions {
    /** Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

export interface CreateWebhookOptions extends IdempotentOptions {
    /** Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

export interface CreateApiKeyOptions extends IdempotentOptions {
    /** Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path. */
    idempotencyKey?: string | undefined;
}

/** Invoke agents, and look after their draft configuration. Agents are made by the operator, from a manifest. */
export interface Agents {
    readonly invoke: {
        /**
         * Invoke an agent
         *
         * Sends a message to the agent and returns its reply. It runs the configuration that is active in `production`;
         * before the first production deployment, the draft.
         *
         * There are three forms of one operation:
         *
         * - **Plain**: one JSON answer when the agent is done.
         * - **Streamed**: with `Accept: text/event-stream` the reply arrives as server-sent events: `delta` events with pieces
         *   of text and `tool` events for what the agent does in between, then exactly one `done` with the whole result, or
         *   one `error`. What fails before the first piece is an ordinary error answer with its status.
         * - **Asynchronous**: with `Prefer: respond-async` the answer is a 202 with the `request_id` as soon as the invocation
         *   is stored. The result arrives as an `agent.completed` or `agent.failed` event. Repeating the request with the same
         *   `Idempotency-Key` gives 202 while it runs, and the stored result, be it a reply or an error, after. With
         *   `Prefer: respond-async, wait=30` the repeat waits for that result, so that no webhook is needed. One that the operator
         *   cancels fails with `cancelled`; the repeat gets a 409 `conflict`.
         *
         * If you leave before the answer is there, the model call is stopped and the invocation counts as failed; an
         * asynchronous one goes on. With an `Idempotency-Key` a retry never runs the agent twice for one answer.
         *
         * The message and the answer become part of the agent's memory and of the session, unless the agent's manifest or the
         * request's `context` says `remember: false`. Then the service keeps neither them nor the user, the session and the context;
         * an event to a webhook and the answer under an `Idempotency-Key` are kept for as long as they are needed.
         *
         * A stream with an `Idempotency-Key` survives a lost connection. The invocation goes on without you for a grace time
         * (30 seconds unless the operator says otherwise), and then is stopped; at once if you leave a request with
         * `Prefer: grace=0`, be it the first or one that resumed the stream. Repeat the request with `Last-Event-ID`, the id of
         * the last event that you have, and you get the events after it: none twice, none missing, from any instance, live
         * while the agent runs, and after its end, for 24 hours; with `remember: false` for the grace time, after which any repeat is a
         * 409 `conflict` that runs nothing. Without `Last-Event-ID` the repeat gets the stream from its
         * beginning; a repeat that does not accept events is a 409 while the agent runs. A stream that failed ends with its
         * `error` when it is resumed as well; that is `unavailable` if the instance that ran the agent was lost. After an
         * `error` the key is free: the request without `Last-Event-ID` runs the agent again.
         *
         * An account has a limit on what runs at a time, by its tier unless the operator says otherwise: 10, 50 or 500
         * invocations with an answer to wait for (`free`, `pro`, `enterprise`), and 100, 1 000 or 10 000 asynchronous ones that
         * wait or run. More is a 429 `rate_limited`. While the answers that are being received take up the memory that the
         * service has for them, further ones end with a 503 `unavailable`. Both say when to try again.
         *
         * An agent and an account can have a budget of tokens, which renews at fixed times. Once it is used up, no model is
         * called any more: invocations fail with a 429 `rate_limited` whose message says whose budget it is, and whose `Retry-After` is
         * the time until it renews. An answer that is under way is finished unless it needs another call of a model. An asynchronous
         * invocation is accepted, and fails with that error when its turn comes.
         *
         * @param agentId The agent's id or its name.
         * @param body What to tell the agent.
         */
        (agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions & { stream?: false | undefined }): ApiPromise<schema.Invocation>;
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
     * Returns the account's agents, newest first unless `sort` says otherwise. A key that is scoped to an agent sees
     * that agent alone.
     */
    readonly list: (query?: schema.ListAgentsQuery, options?: RequestOptions) => Pages<schema.AgentSummary>;
    /**
     * Get an agent
     *
     * Returns the agent with its draft configuration, the instructions (the system prompt) included. What answers
     * invocations is the configuration that `active_deployment_id` froze; before the first production deployment it is the
     * draft.
     *
     * @param agentId The agent's id or its name.
     */
    readonly get: (agentId: schema.AgentReference, options?: RequestOptions) => ApiPromise<schema.Agent>;
    /**
     * Update an agent
     *
     * Changes model, temperature and instructions of the draft configuration, and returns the agent; the rest of it is the
     * operator's. Fields that are left out stay as they are, so sending the
     * same body again changes nothing more. An agent that was deployed to production goes on answering with its active
     * deployment until you create the next one.
     *
     * @param agentId The agent's id or its name.
     * @param body The fields of the draft configuration to change; those left out stay as they are.
     */
    readonly update: (agentId: schema.AgentReference, body: schema.AgentUpdate, options?: UpdateAgentOptions) => ApiPromise<schema.Agent>;
    /**
     * Delete an agent
     *
     * Deletes the agent with its deployments, memory, logs and webhooks, and the keys that are scoped to it. This cannot
     * be undone. Its name is free again at once. Repeating the request is a 404. Nothing of it can be read any more; much
     * that it has stored is erased in the background.
     *
     * @param agentId The agent's id or its name.
     */
    readonly delete: (agentId: schema.AgentReference, options?: DeleteAgentOptions) => ApiPromise<schema.AgentDeletion>;
}

/** Freeze an agent's configuration under a version, make it active, and go back if it does not hold. */
export interface Deployments {
    /**
     * List deployments
     *
     * Returns the agent's deployments in all environments, newest first unless `sort` says otherwise. Sorting by
     * `version` compares the labels as text.
     *
     * @param agentId The agent's id or its name.
     */
    readonly list: (agentId: schema.AgentReference, query?: schema.ListDeploymentsQuery, options?: RequestOptions) => Pages<schema.Deployment>;
    /**
     * Create a deployment
     *
     * Freezes the agent's draft configuration under `version` and makes it active in `environment`, replacing the one
     * that was active there. Both happen at once or not at all. Invocations that start afterwards use it, on every
     * instance.
     *
     * @param agentId The agent's id or its name.
     * @param body Where to activate the draft configuration, and under which label.
     */
    readonly create: (agentId: schema.AgentReference, body: schema.DeploymentRequest, options?: CreateDeploymentOptions) => ApiPromise<schema.Deployment>;
    /**
     * Roll back a deployment
     *
     * Undoes the named deployment: it becomes `rolled_back`, and the one that it replaced becomes `active` again and is
     * returned. Only an active deployment that replaced another can be rolled back. Of two rollbacks at once one wins;
     * the other gets the 409. Takes no body.
     *
     * @param agentId The agent's id or its name.
     * @param deploymentId The deployment's id.
     */
    readonly rollback: (agentId: schema.AgentReference, deploymentId: schema.DeploymentId, options?: RollbackDeploymentOptions) => ApiPromise<schema.Deployment>;
}

/** What an agent did, entry by entry. */
export interface Logs {
    /**
     * Get logs
     *
     * Returns what the agent did, newest first: how each invocation went, configuration changes, and webhook deliveries
     * that failed. All filters that you give must match; a `start_time` that is not before the `end_time` is a 400. Entries
     * are kept for as long as the operator set. With a token, entries about other users come without the ids of these
     * users and of their sessions.
     *
     * @param agentId The agent's id or its name.
     */
    readonly list: (agentId: schema.AgentReference, query?: schema.GetLogsQuery, options?: RequestOptions) => Pages<schema.LogEntry>;
}

/** How fast, how often and how well an agent answers, over time. */
export interface Metrics {
    /**
     * Get metrics
     *
     * Returns one metric of the agent's invocations over time. An invocation counts at the time when it was received, as
     * soon as it has ended.
     *
     * The range ends now and is 24 hours long, unless you say otherwise: `end_time` alone reaches back 24 hours,
     * `start_time` alone reaches to now. It may hold at most 1,500 buckets: 25 hours at `1m`, 5 days at `5m`, 62 days at
     * `1h`, 4 years at `1d`. More is a 400 that names the granularity that fits.
     *
     * `response_time` leaves out buckets without invocations; `throughput`, `error_rate` and `token_usage` show them as 0. Of
     * a bucket that lies only partly in the range, that part alone is counted, and its `throughput` is per minute of it.
     *
     * @param agentId The agent's id or its name.
     */
    readonly get: (agentId: schema.AgentReference, query: schema.GetMetricsQuery, options?: RequestOptions) => ApiPromise<schema.MetricSeries>;
}

/** What an agent remembers of its conversations. */
export interface Memory {
    /**
     * Search memory
     *
     * Finds what was said in earlier invocations, best match first. Words match in their inflected and misspelt forms;
     * where the operator configured an embedding model, meaning counts too. Of words that occur in very many entries,
     * the latest of these are compared. With a token, only what was said with the token's user is searched. It changes
     * nothing, so it is safe to retry.
     *
     * @param agentId The agent's id or its name.
     * @param body What to look for.
     */
    readonly search: (agentId: schema.AgentReference, body: schema.MemorySearch, options?: RequestOptions) => Pages<schema.MemoryMatch>;
    /**
     * Clear memory
     *
     * Deletes everything that the agent remembers, of all users and sessions; with a token, what it remembers of the
     * token's user. This cannot be undone. Repeating it is
     * safe: it clears 0 entries. Logs and metrics stay. Nothing of it can be found any more; many entries are erased in the
     * background.
     *
     * @param agentId The agent's id or its name.
     */
    readonly clear: (agentId: schema.AgentReference, options?: RequestOptions) => ApiPromise<schema.MemoryClearing>;
}

/** Addresses of yours that receive events. */
export interface Webhooks {
    /**
     * List webhooks
     *
     * Returns the account's webhooks with the state of their last delivery, newest first unless `sort` says otherwise. A
     * key that is scoped to an agent sees the webhooks of that agent alone.
     */
    readonly list: (query?: schema.ListWebhooksQuery, options?: RequestOptions) => Pages<schema.Webhook>;
    /**
     * Create a webhook
     *
     * Registers an address that receives events of one agent, or of every agent of the account. The answer holds the
     * secret that signs the deliveries, this once.
     *
     * An account may have 10 webhooks in tier `free`, 100 in `pro` and 1 000 in `enterprise`, unless the operator says
     * otherwise. One more is a 409 `conflict` until another is deleted.
     *
     * @param body Where to send which events.
     */
    readonly create: (body: schema.WebhookRequest, options?: CreateWebhookOptions) => ApiPromise<schema.CreatedWebhook>;
    /**
     * Delete a webhook
     *
     * Removes the webhook and drops its deliveries that are still waiting. Repeating the request is a 404.
     *
     * @param webhookId The webhook's id.
     */
    readonly delete: (webhookId: schema.WebhookId, options?: RequestOptions) => ApiPromise<schema.WebhookDeletion>;
}

/** Who may do what. */
export interface Keys {
    /**
     * List API keys
     *
     * Returns the account's keys, without the keys themselves, newest first unless `sort` says otherwise. A key that is
     * scoped to an agent sees the keys of that agent alone. Revoked keys are not listed; expired ones are.
     */
    readonly list: (query?: schema.ListApiKeysQuery, options?: RequestOptions) => Pages<schema.ApiKey>;
    /**
     * Create an API key
     *
     * Creates a key for the account or for one agent. The answer holds the key itself, this once. The new key can have no
     * permission that the calling key lacks (403), and a key that is scoped to an agent can make keys for that agent
     * alone (404 for any other). It ends when the calling key ends, at the latest.
     *
     * @param body What the new key may do.
     */
    readonly create: (body: schema.ApiKeyRequest, options?: CreateApiKeyOptions) => ApiPromise<schema.CreatedApiKey>;
    /**
     * Revoke an API key
     *
     * Ends the key for good, on every instance within a second. A key may revoke itself. Repeating the request is a 404.
     * Keys that it created go on working, so that a key can replace itself; they are those with its id in `created_by`.
     *
     * @param keyId The key's id.
     */
    readonly revoke: (keyId: schema.KeyId, options?: RequestOptions) => ApiPromise<schema.ApiKeyRevocation>;
}

/** Every operation of the contract. */
export interface Resources {
    /** Invoke agents, and look after their draft configuration. Agents are made by the operator, from a manifest. */
    readonly agents: Agents;
    /** Freeze an agent's configuration under a version, make it active, and go back if it does not hold. */
    readonly deployments: Deployments;
    /** What an agent did, entry by entry. */
    readonly logs: Logs;
    /** How fast, how often and how well an agent answers, over time. */
    readonly metrics: Metrics;
    /** What an agent remembers of its conversations. */
    readonly memory: Memory;
    /** Addresses of yours that receive events. */
    readonly webhooks: Webhooks;
    /** Who may do what. */
    readonly keys: Keys;
}

export function createResources({ request, stream, submit, list }: ApiClient): Resources {
    function invoke(agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions & { stream?: false | undefined }): ApiPromise<schema.Invocation>;
    function invoke(agentId: schema.AgentReference, body: schema.InvocationRequest, options: InvokeAgentOptions & { stream: true }): InvocationStream;
    function invoke(agentId: schema.AgentReference, body: schema.InvocationRequest, options?: InvokeAgentOptions & { stream?: boolean | undefined }): InvocationStream | ApiPromise<schema.Invocation> {
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

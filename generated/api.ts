// Generated from spec/ by npm run generate. Do not edit.

export interface paths {
    "/v1/agents/{agent_id}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The agent's id or name.
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
         * @description Sends a message to the agent and returns its reply. The agent runs with the configuration that is active in
         *     `production`, or with the draft before the first production deployment. `environment` names another one: `draft`,
         *     or an environment with an active deployment; otherwise the response is a 404 that names it. A token may only use
         *     `production`; anything else is a 403. Sessions, their histories and what `recall` finds are separate for each
         *     environment. Budgets, limits and security settings are those of the agent, and tools act for real.
         *
         *     The operation has three forms:
         *
         *     - **Plain**: one JSON response when the agent has finished.
         *     - **Streamed**: with `Accept: text/event-stream`, the reply arrives as server-sent events: `delta` events with
         *       text and `tool` events for tool calls, then exactly one `done` with the whole result or one `error`. The headers
         *       are sent as soon as the invocation is accepted, and a comment every 15 seconds while the agent is silent. A
         *       request that is not accepted gets a normal error response with its status; a failure after that, such as one of
         *       the model, is an `error` event.
         *     - **Asynchronous**: with `Prefer: respond-async`, the response is a 202 with the `request_id`, sent once the
         *       invocation is stored. The result arrives as an `agent.completed`, `agent.failed` or `agent.paused` event.
         *       Repeating the request with the same `Idempotency-Key` returns a 202 while the invocation runs, and its result, a
         *       reply or an error, afterwards. With `Prefer: respond-async, wait=30` the repeat waits for the result, so no
         *       webhook is needed.
         *
         *     A plain or streamed invocation takes at most 10 minutes, whatever the agent's timeout. If you disconnect before
         *     the response arrives, the model call is stopped and the invocation counts as failed; an asynchronous invocation
         *     continues.
         *
         *     With an `Idempotency-Key`, a retry does not run the agent again if the first request succeeded or is still
         *     running. With a key, or asynchronously, an invocation that calls tools is also stored step by step. If its instance
         *     stops or is lost, a repeat of the request goes on after the last stored step, at any instance; an asynchronous
         *     invocation goes on by itself. A call that had a result is never repeated. A call that had begun without one is
         *     repeated only if it is a `GET`, has `repeat: true` in the manifest, or is an MCP tool declared read-only or
         *     idempotent; otherwise the model is told that its effect is unknown. If the invocation itself fails after a tool
         *     call, because the model failed, its time was up or it was cancelled, the error is stored, and repeats get it with
         *     `retryable: false`. Send a new key to run the agent again, with the effects of its tools.
         *
         *     **Approvals**: if the agent calls a tool that needs approval, the invocation pauses before any call of that step
         *     is made. The result has the status `requires_approval`, the text so far, and the pending calls in `approvals`;
         *     the event `agent.paused` has the same. To go on, invoke the agent with `resume`. The session is not held meanwhile.
         *     An invocation that nobody decides in time ends with an `agent.failed` event with the code `timeout`.
         *
         *     **Acting for the user**: if the agent's manifest passes values of `context` or the caller's token to its tools, an
         *     invocation that lacks one gets a 400 that names it. They are taken when the invocation begins, and `resume` does not
         *     change them, except for the token: a request that goes on may bring a new one.
         *
         *     **Cancelling**: repeat a request with its `Idempotency-Key` and `Prefer: cancel` to stop its invocation, at whatever
         *     instance it runs. The response is a 202, and the invocation fails with `cancelled`; further repeats get a 409
         *     `conflict`. If it waits for approval, it is closed. If it had already ended, you get the stored response, and if no
         *     request has the key, a 404 `not_found`; in neither case does anything run. The operator can cancel an asynchronous
         *     invocation, too.
         *
         *     **Agents that ask agents**: an agent may have other agents of the account as tools. Each runs as an invocation of its
         *     own, with its own request id, log, usage and budget; `tokens_used` and `usage` are the sum. They stop with the
         *     invocation that asked. Requests of tools, MCP servers and `http/…` agents say in their `tracestate` header how many
         *     runs they are deep, as `agent-hosting=d:1`. Send the header on if you invoke an agent from there: beyond 5, a request
         *     gets a 409 `conflict`, so a loop ends.
         *
         *     `finish_reason` says how a completed reply ended. A reply that the provider's content filter left without text is a 502
         *     `upstream_error`. A message that alone is too long for the model's context window is a 413 `payload_too_large`;
         *     earlier turns of the session are left out if they do not fit.
         *
         *     The message and the reply become part of the agent's memory and of the session, unless the agent's manifest or
         *     the request's `context` has `remember: false`. In that case the service does not keep the message, reply, user,
         *     session or context. The webhook event and the response stored for an `Idempotency-Key` are kept for as long as
         *     they are needed.
         *
         *     A stream with an `Idempotency-Key` survives a lost connection. The invocation continues for a grace period (30
         *     seconds by default) and is then stopped. With `Prefer: grace=0`, on the first request or on one that resumed the
         *     stream, it is stopped as soon as that request disconnects. To resume, repeat the request with `Last-Event-ID`
         *     set to the id of the last event that you received. You get every event after it exactly once, from any instance:
         *     live while the agent runs, and for 24 hours after it has finished. With `remember: false` the stream can be
         *     resumed for the grace period after its end; later repeats get a 409 `conflict` and do not run the agent.
         *
         *     Without `Last-Event-ID`, a repeat gets the stream from its beginning. A repeat that does not accept events gets
         *     a 409 while the agent runs. A failed stream ends with its `error` when it is resumed; the code is `unavailable`
         *     if the instance that ran the agent was lost. After that, repeat the request without `Last-Event-ID` to go on: the
         *     new stream begins with the text and the `tool` events of the stored steps.
         *
         *     Each account has a limit on concurrent invocations. The defaults for `free`, `pro` and `enterprise` are 10, 50
         *     and 500 plain and streamed invocations, and 100, 1,000 and 10,000 queued or running asynchronous ones. Above the
         *     limit, requests get a 429 `rate_limited`. If the service has no memory left for further replies, requests get a
         *     503 `unavailable`. Both responses say when to retry.
         *
         *     An agent and an account can have a token budget, which renews at fixed times. Once it is used up, no model is
         *     called: invocations get a 429 `rate_limited` whose message names the budget and whose `Retry-After` is the time
         *     until it renews. A running invocation finishes unless it needs another model call. An asynchronous invocation is
         *     accepted, and fails with that error when it runs.
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
         * @description Returns the account's agents, newest first by default. A key that is limited to an agent sees only that agent.
         *     Agents whose security settings reject the request are left out.
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
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Returns the agent with its draft configuration, including the instructions (the system prompt). Invocations use
         *     the configuration of `active_deployment_id`, or the draft before the first production deployment.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description Deletes the agent with its deployments, memory, logs, webhooks and the keys that are limited to it. This cannot
         *     be undone. The data is inaccessible and the name can be reused immediately; large amounts of data are erased in
         *     the background. Repeating the request returns a 404.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         * @description Changes the model, temperature or instructions of the draft configuration and returns the agent. Only the
         *     operator can change the other settings. Omitted fields keep their values, so repeating the request has no
         *     further effect. An agent that is deployed to production keeps using its active deployment until you create the
         *     next one.
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
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * List deployments
         * @description Returns the agent's deployments in all environments, newest first by default. Sorting by `version` compares the
         *     labels as text.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Create a deployment
         * @description Freezes the agent's draft configuration under `version` and activates it in `environment`, replacing the
         *     deployment that is active there. The change is atomic, and invocations that start afterwards use it on every
         *     instance. `draft` cannot be deployed to: in an invocation, it names the configuration that is not deployed.
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
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
                /**
                 * @description The deployment's id.
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
         * @description Rolls back the deployment: its status becomes `rolled_back`, and the deployment that it replaced becomes
         *     `active` again and is returned. Only an active deployment that replaced another one can be rolled back. If two
         *     requests roll back the same deployment, one succeeds and the other gets a 409. The request has no body.
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
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get logs
         * @description Returns the agent's log, newest first: the outcome of each invocation, configuration changes, and failed webhook
         *     deliveries. Entries must match all given filters. A `start_time` that is not before `end_time` is a 400. The
         *     operator configures how long entries are kept. With a token, entries that are not about its own
         *     user keep only their time, level, message and ids: the rest of their metadata is left out.
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
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get metrics
         * @description Returns one metric of the agent's invocations over time. An invocation is counted once it has ended, at the time
         *     when it was received.
         *
         *     By default the range is the last 24 hours. With only `end_time`, it is the 24 hours before it; with only
         *     `start_time`, it ends now. A range can have at most 1,500 buckets: 25 hours at `1m`, 5 days at `5m`, 62 days at
         *     `1h`, 4 years at `1d`. A longer range is a 400 that names a granularity that fits.
         *
         *     `response_time` omits buckets without invocations; `throughput`, `error_rate` and `token_usage` return 0 for
         *     them. If a bucket lies partly outside the range, only the part inside is counted, and its `throughput` is per
         *     minute of that part.
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
                 * @description The agent's id or name.
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
         * @description Searches the messages and replies of earlier invocations and returns the best matches first. Inflected forms of
         *     words match; if the operator configured an embedding model, entries with a similar meaning match too. For words
         *     that occur in very many entries, not all of those are compared. With a token, only the entries of the token's user
         *     are searched. The operation changes nothing, so it is safe to retry.
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
                 * @description The agent's id or name.
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
         * @description Deletes the agent's whole memory, for all users and sessions; with a token, only the memory of the token's user.
         *     This cannot be undone. Logs and metrics are kept. The whole memory is inaccessible immediately and erased in the
         *     background; the memory of one user is erased before the answer. The request is safe to retry: a repeat clears what
         *     an interrupted request has left, or 0 entries.
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
         * @description Returns the account's webhooks with the state of their last delivery, newest first by default. A key that is
         *     limited to an agent sees only the webhooks of that agent. Webhooks of agents whose security settings reject the
         *     request are left out.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Registers a URL that receives the events of one agent, or of all agents of the account. The response contains
         *     the secret that signs the deliveries, which is shown only once.
         *
         *     By default an account can have 10 webhooks in tier `free`, 100 in `pro` and 1,000 in `enterprise`. Above the
         *     limit, the response is a 409 `conflict` until a webhook is deleted.
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
                 * @description The webhook's id.
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
         * @description Deletes the webhook and discards its pending deliveries. Repeating the request returns a 404.
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
         * @description Returns the account's keys without their secrets, newest first by default. A key that is limited to an agent
         *     sees only the keys of that agent. Expired keys are listed; revoked keys are not. Keys of agents whose security
         *     settings reject the request are left out.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Creates a key for the account or for one agent. The response contains the key itself, which is shown only once.
         *     The new key cannot have permissions that the calling key lacks (403). A key that is limited to an agent can
         *     create keys only for that agent (404 for any other). The new key expires no later than the calling key.
         *
         *     `replaces` rotates a key: the replaced one keeps working until the given time, so that its users can change over.
         *     It must be a key that the calling key could revoke (404).
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
                 * @description The key's id.
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
         * @description Revokes the key permanently, on every instance within a second. A key can revoke itself. Keys that it created
         *     (those with its id in `created_by`) stay valid, so a key can replace itself. Repeating the request returns a
         *     404.
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
         * @description Sent after a successful invocation, in any of its forms. Events are delivered at least once and in no guaranteed
         *     order: deduplicate them by `id`. Respond with a 2xx within 15 seconds. Otherwise the same bytes are sent again
         *     after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, or later if your `Retry-After` asks for it.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description The hex HMAC-SHA256 of the raw body, keyed with the webhook's secret as shown (with `whsec_`). Compare it in constant time before you parse the body, and respond with 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * @description The event id, the same for every attempt (Standard Webhooks).
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * @description The time of this attempt in Unix seconds. Reject timestamps that are more than a few minutes old (Standard Webhooks).
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret encodes after `whsec_`. Any Standard Webhooks library can verify it.
                     * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
                     */
                    "webhook-signature": components["parameters"]["DeliverySignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AgentCompletedEvent"];
                };
            };
            responses: {
                /** @description Gone. The webhook is disabled and receives no further events. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Received. The response body is ignored. */
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
         * @description Sent after a failed invocation: the model failed, the timeout passed, nobody decided its pending calls in time, a
         *     budget was used up, the caller disconnected, or the caller or the operator cancelled it. Delivered like
         *     `agent.completed`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description The hex HMAC-SHA256 of the raw body, keyed with the webhook's secret as shown (with `whsec_`). Compare it in constant time before you parse the body, and respond with 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * @description The event id, the same for every attempt (Standard Webhooks).
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * @description The time of this attempt in Unix seconds. Reject timestamps that are more than a few minutes old (Standard Webhooks).
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret encodes after `whsec_`. Any Standard Webhooks library can verify it.
                     * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
                     */
                    "webhook-signature": components["parameters"]["DeliverySignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AgentFailedEvent"];
                };
            };
            responses: {
                /** @description Gone. The webhook is disabled and receives no further events. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Received. The response body is ignored. */
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
    "agent.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent waits for approval
         * @description Sent when an invocation pauses because tool calls need approval. To go on, invoke the agent with `resume`.
         *     Delivered like `agent.completed`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description The hex HMAC-SHA256 of the raw body, keyed with the webhook's secret as shown (with `whsec_`). Compare it in constant time before you parse the body, and respond with 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * @description The event id, the same for every attempt (Standard Webhooks).
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * @description The time of this attempt in Unix seconds. Reject timestamps that are more than a few minutes old (Standard Webhooks).
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret encodes after `whsec_`. Any Standard Webhooks library can verify it.
                     * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
                     */
                    "webhook-signature": components["parameters"]["DeliverySignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AgentPausedEvent"];
                };
            };
            responses: {
                /** @description Gone. The webhook is disabled and receives no further events. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Received. The response body is ignored. */
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
        /**
         * @description The id or name of an agent. Both can be used everywhere.
         * @example support-bot
         * @example agent_01m3v7me00f8c8623ebffsvy4c
         */
        AgentReference: string;
        /**
         * @description A message to an agent. White space alone is rejected.
         * @example Where is my order 7134?
         */
        UserMessage: string;
        /**
         * @description Your id of the user. Sessions and memory are kept per user. With a token, it is the token's subject and can be omitted; any other value is a 400.
         * @example user-2041
         */
        UserId: string;
        /**
         * @description Your id of the conversation. Sessions belong to a user: two users with the same session id have separate sessions. The model receives the earlier turns of the session, oldest first, up to the agent's history limit. Turns of a session never interleave: a second invocation waits for the first.
         * @example chat-77
         */
        SessionId: string;
        /** @description The user and session of the message. Other keys are stored with the invocation and passed to `http/…` agents. */
        InvocationContext: {
            user_id?: components["schemas"]["UserId"];
            session_id?: components["schemas"]["SessionId"];
            /** @description `false` keeps the message and the reply out of the agent's memory and of the session. The model still receives the earlier turns of the session, but later turns do not include this one. `true` does not override `remember: false` in the agent's manifest. */
            remember?: boolean;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description The environment of a deployment. Invocations run in `production` unless they name another one.
         * @example production
         */
        Environment: string;
        /**
         * @description The id of a request. It is in the `X-Request-Id` header of the response and in the log entries and events of the request. Include it when you ask for help.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        RequestId: string;
        /**
         * @description Identifies a tool call within its invocation, because several calls can run at the same time.
         * @example call_1
         */
        CallId: string;
        /** @description The decision on a pending call. */
        ApprovalDecision: {
            call_id: components["schemas"]["CallId"];
            /**
             * @description Whether the call is made.
             * @enum {string}
             */
            decision: "approve" | "reject";
            /** @description The reason for a rejection, which the model receives as the result of the call. */
            note?: string;
        };
        /** @description Decides the pending calls of an invocation with the status `requires_approval`, and continues it as an invocation of its own: approved calls are made, rejected ones are reported to the model as failed, and `message` is the user's next turn after these results. All calls are decided at once; a missing or unknown `call_id` is a 400 that names it. They are decided once: after another decision, after `expires_at`, or if the invocation was cancelled, the response is a 409. If an approver is `manage`, the request needs that permission; otherwise it is a 403. The waiting invocation's `user_id` and `session_id` apply if `context` omits them; other values are a 403. */
        InvocationResume: {
            /** @description The id of the waiting invocation. */
            request_id: components["schemas"]["RequestId"];
            /** @description A decision for each of its `approvals`. */
            decisions: components["schemas"]["ApprovalDecision"][];
        };
        /** @description A message to the agent. */
        InvocationRequest: {
            /** @description The user's message. White space alone is rejected. */
            message: components["schemas"]["UserMessage"];
            context?: components["schemas"]["InvocationContext"];
            /** @description Where the agent runs: `production`, the default; `draft`, with the configuration that is not deployed; or an environment with an active deployment. With a token, only `production`. With `resume`, the environment of the waiting invocation applies; another one is a 400. */
            environment?: components["schemas"]["Environment"];
            resume?: components["schemas"]["InvocationResume"];
        };
        /**
         * @description The sum of input and output tokens of the model.
         * @example 312
         */
        TokenCount: number;
        /**
         * @description Milliseconds from the arrival of the request to the end of the reply.
         * @example 940
         */
        DurationMs: number;
        /**
         * @description The status of an answered invocation: `completed`, or `requires_approval` if it waits for decisions on tool calls. New values may be added.
         * @example completed
         * @enum {string}
         */
        InvocationStatus: "completed" | "requires_approval";
        /**
         * @description Why the reply ended: `stop`, the model had finished; `length`, it reached its output limit, so the reply is cut; `content_filter`, the provider stopped it; `steps`, it had to answer because the agent's `maxSteps` was reached. Present with the status `completed` only. New values may be added.
         * @example stop
         * @enum {string}
         */
        FinishReason: "stop" | "length" | "content_filter" | "steps";
        /**
         * @description The tokens of all model calls of the invocation, and of the agents that it asked, by kind. A kind that no model reports is omitted.
         * @example {
         *       "input_tokens": 280,
         *       "output_tokens": 32
         *     }
         */
        TokenUsage: {
            /** @description The tokens of the prompts, cached ones included. */
            input_tokens?: number;
            /** @description The tokens that the model generated, reasoning included. */
            output_tokens?: number;
            /** @description The part of `input_tokens` that the provider read from its prompt cache. */
            cached_input_tokens?: number;
            /** @description The part of `output_tokens` that the model used to reason. */
            reasoning_tokens?: number;
        };
        /**
         * @description The name of the tool, as the model sees it.
         * @example orders_lookup
         */
        ToolName: string;
        /**
         * @description The arguments of a tool call, exactly as they will be sent.
         * @example {
         *       "order_id": "5512",
         *       "amount": 49.9
         *     }
         */
        ToolArguments: {
            [key: string]: unknown;
        };
        /**
         * @description Who may decide: `caller`, whoever may invoke the agent for the same user and session; `manage`, only a key or token with the permission `manage`. New values may be added.
         * @example caller
         * @enum {string}
         */
        Approver: "caller" | "manage";
        /**
         * Format: date-time
         * @description A time in RFC 3339 format, in UTC with milliseconds.
         * @example 2026-11-02T09:30:00.000Z
         */
        Timestamp: string;
        /** @description A tool call that is made only after somebody approves it. */
        PendingApproval: {
            call_id: components["schemas"]["CallId"];
            tool: components["schemas"]["ToolName"];
            arguments: components["schemas"]["ToolArguments"];
            approver: components["schemas"]["Approver"];
            /** @description When the invocation ends with `timeout` unless all its calls have been decided. */
            expires_at: components["schemas"]["Timestamp"];
        };
        /** @description The tool calls that wait for approval. Present with the status `requires_approval` only. */
        PendingApprovals: components["schemas"]["PendingApproval"][];
        /** @description The agent's reply with its token usage and duration. */
        Invocation: {
            /** @description The agent's reply; with `requires_approval`, the text so far, which may be empty. */
            response: string;
            request_id: components["schemas"]["RequestId"];
            /** @description The sum of input and output tokens of all models that the invocation called, with those of the agents that it asked. */
            tokens_used: components["schemas"]["TokenCount"];
            duration_ms: components["schemas"]["DurationMs"];
            status: components["schemas"]["InvocationStatus"];
            finish_reason?: components["schemas"]["FinishReason"];
            usage?: components["schemas"]["TokenUsage"];
            approvals?: components["schemas"]["PendingApprovals"];
        };
        /** @description The envelope of a successful response. */
        InvocationResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["Invocation"];
        };
        /**
         * @description The id of the event in its stream, in the `id:` line. Treat it as opaque: store the last one that you received, and send it as `Last-Event-ID` to resume the stream after it.
         * @example req_01m6dsg7e0eha8ks12y199e68y.2
         */
        InvocationEventId: string;
        /** @description JSON in the `data:` line. */
        InvocationDelta: {
            /** @description Text to append to the text received so far. */
            text: string;
        };
        /** @description The next piece of the reply. */
        InvocationDeltaEvent: {
            /**
             * @description The event name, in the `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "delta";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["InvocationDelta"];
        };
        /** @description JSON in the `data:` line. */
        InvocationToolCall: {
            call_id: components["schemas"]["CallId"];
            name: components["schemas"]["ToolName"];
            /**
             * @description The status of the call. A failed call does not end the invocation; the model is told about it. New values may be added.
             * @enum {string}
             */
            status: "started" | "succeeded" | "failed";
            /** @description The duration of the call in milliseconds. Absent when the call starts. */
            duration_ms?: components["schemas"]["DurationMs"];
        };
        /** @description A tool call. One event is sent when the call starts and one when it ends. */
        InvocationToolEvent: {
            /**
             * @description The event name, in the `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "tool";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["InvocationToolCall"];
        };
        /** @description The whole result, as in the plain form. The last event of a successful stream. */
        InvocationDoneEvent: {
            /**
             * @description The event name, in the `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "done";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["Invocation"];
        };
        /**
         * @description The machine-readable error code. Each code has one HTTP status. New codes may be added: handle unknown codes by their status.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "rate_limited" | "server_error" | "upstream_error" | "unavailable" | "timeout";
        /** @description A field that failed validation. */
        FieldProblem: {
            /** @description The path in the body (`context.user_id`, `events.0`), or the name of the query parameter, path parameter or header. */
            field: string;
            /** @description A human-readable description of the problem. */
            error: string;
        };
        /** @description The error, for programs (`code`) and for people (`message`). */
        ErrorDetail: {
            code: components["schemas"]["ErrorCode"];
            /** @description A human-readable message. It may change; do not parse it. */
            message: string;
            /** @description Seconds to wait before the next attempt, equal to the `Retry-After` header. Present whenever that header is. */
            retry_after?: number;
            /** @description False if repeating the request is useless or dangerous: the service has already retried, the same request would fail again, or the agent had called a tool, so the Idempotency-Key keeps this error. Absent otherwise. */
            retryable?: boolean;
            /** @description All fields that failed validation. */
            details?: components["schemas"]["FieldProblem"][];
        };
        /** @description The invocation failed: the model failed, the time was up, or a token budget was used up. The last event of a failed stream, and the only one if the agent had said nothing. */
        InvocationErrorEvent: {
            /**
             * @description The event name, in the `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "error";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["ErrorDetail"];
        };
        /** @description A server-sent event of a streamed invocation, distinguished by `event`. Its `id` resumes the stream after it. A stream has zero or more `delta` and `tool` events, then exactly one `done` or `error`. Other events may be added: ignore unknown ones. */
        InvocationEvent: components["schemas"]["InvocationDeltaEvent"] | components["schemas"]["InvocationToolEvent"] | components["schemas"]["InvocationDoneEvent"] | components["schemas"]["InvocationErrorEvent"];
        /** @description An invocation that is stored and will run, or that is cancelled. */
        AcceptedInvocation: {
            request_id: components["schemas"]["RequestId"];
        };
        /** @description The envelope of a successful response. */
        AcceptedInvocationResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["AcceptedInvocation"];
        };
        /** @description The body of every error response. */
        ErrorResponse: {
            /**
             * @description Always `false`.
             * @constant
             */
            success: false;
            error: components["schemas"]["ErrorDetail"];
        };
        /**
         * @description The name of an agent, unique within the account: lower-case letters, digits and hyphens, starting with a letter.
         * @example support-bot
         */
        AgentName: string;
        /**
         * @description The id of an agent. Ids sort by creation time.
         * @example agent_01m3v7me00f8c8623ebffsvy4c
         */
        AgentId: string;
        /**
         * @description Whether the agent accepts invocations. The operator sets `stopped`. New values may be added: treat unknown values as not running.
         * @enum {string}
         */
        AgentStatus: "running" | "stopped";
        /** @description An agent in a list. */
        AgentSummary: {
            id: components["schemas"]["AgentId"];
            name: components["schemas"]["AgentName"];
            status: components["schemas"]["AgentStatus"];
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description The position of this page in the list. */
        Pagination: {
            /** @description The maximum number of items on this page. */
            limit: number;
            /** @description The number of items before this page. */
            offset: number;
            /**
             * Format: int64
             * @description The number of matching items on all pages, exact at the time of the request.
             */
            total: number;
            /** @description Whether there are more items after this page. */
            has_more: boolean;
        };
        /** @description The envelope of a list response. */
        AgentList: {
            /** @description The items on this page. */
            data: components["schemas"]["AgentSummary"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description The model to use, as `provider/name`. Providers: `openai`, `anthropic`, `local` (an OpenAI-compatible server), `http` (your own agent behind an endpoint) and `builtin` (`builtin/echo` needs no configuration).
         * @example anthropic/claude-sonnet-4-5
         */
        ModelName: string;
        /**
         * @description The randomness of the model, from 0 (as little as possible) to 2.
         * @example 0.3
         */
        Temperature: number;
        /**
         * @description The model's system prompt. Empty if there is none.
         * @example Answer questions about orders. Say so if you do not know.
         */
        Instructions: string;
        /**
         * @description The other settings that a deployment freezes, with the names of the manifest: `timeout`, `history`, `maxOutputTokens`, `reasoning`, `historyTokens`, `summarize`, `recall`, `approvalTimeout`, `endpoint`, `tools`, `fallbacks`, `output` and `remember`; and `toolDefinitions`, the definitions of MCP tools recorded when the manifest was applied. Settings that are not set are omitted. Only the operator can change them. Secrets are shown as references, `${env:NAME}` or `${file:path}`.
         * @example {
         *       "timeout": "60s",
         *       "history": 20
         *     }
         */
        DeployedSettings: {
            [key: string]: unknown;
        };
        /**
         * @description Settings that apply to the agent independently of its deployments, with the names of the manifest: `budget`, `auth`, `security`, `mfa` and `roles`. Settings that are not set are omitted. Only the operator can change them, and a rollback does not restore earlier ones. Secrets are shown as references.
         * @example {
         *       "budget": {
         *         "tokens": 1000000,
         *         "window": "1d"
         *       }
         *     }
         */
        AgentPolicy: {
            [key: string]: unknown;
        };
        /**
         * @description The name of a schedule, unique within its agent.
         * @example nightly-report
         */
        ScheduleName: string;
        /**
         * @description When a schedule is due: minute, hour, day of month, month and day of week, separated by single spaces. A field is `*` or a list of numbers and ranges, with steps as in `*\/5`; months and days of the week also have names, such as `JAN` and `MON`. If both days are restricted, either is enough.
         * @example 0 2 * * *
         */
        CronExpression: string;
        /**
         * @description The IANA name of a time zone.
         * @example Europe/Paris
         */
        TimeZone: string;
        /**
         * @description What became of the invocation: `queued`, `running`, `succeeded`, `failed`, or `waiting` for approval; `skipped` if the invocation of `request_id`, from the time before, still ran. Left out once the invocation is deleted by age. New values may be added.
         * @example succeeded
         * @enum {string}
         */
        ScheduleOutcome: "queued" | "running" | "succeeded" | "failed" | "waiting" | "skipped";
        /** @description The last time that a schedule was due or was run by the operator. Left out before the first time. */
        ScheduleRun: {
            /** @description The time at which it was due. */
            at: components["schemas"]["Timestamp"];
            request_id: components["schemas"]["RequestId"];
            outcome?: components["schemas"]["ScheduleOutcome"];
        };
        /** @description A schedule of the agent's manifest: when it is due, the agent is invoked asynchronously. Only the operator can change it. */
        AgentSchedule: {
            name: components["schemas"]["ScheduleName"];
            cron: components["schemas"]["CronExpression"];
            timezone: components["schemas"]["TimeZone"];
            /** @description The message to the agent. Left out for a token if the schedule acts for another user. */
            message?: components["schemas"]["UserMessage"];
            /** @description The context of the message. Left out if there is none, and for a token unless the schedule acts for its user. */
            context?: components["schemas"]["InvocationContext"];
            /** @description Whether the operator has paused it. */
            paused: boolean;
            /** @description When it is due next; null while it is paused. */
            next_at: components["schemas"]["Timestamp"] | null;
            last_run?: components["schemas"]["ScheduleRun"];
        };
        /**
         * @description The id of a deployment.
         * @example dep_01m6dqs9m0fsw90fq1accfsmnf
         */
        DeploymentId: string;
        /** @description An agent with its draft configuration, which the next deployment will freeze. */
        Agent: {
            id: components["schemas"]["AgentId"];
            name: components["schemas"]["AgentName"];
            status: components["schemas"]["AgentStatus"];
            model: components["schemas"]["ModelName"];
            /** @description The randomness of the model, from 0 to 2; 1 if it is not set, in which case none is sent to the model. */
            temperature: components["schemas"]["Temperature"];
            instructions: components["schemas"]["Instructions"];
            settings: components["schemas"]["DeployedSettings"];
            policy: components["schemas"]["AgentPolicy"];
            /** @description The schedules of the agent, by name. Left out if there are none. */
            schedules?: components["schemas"]["AgentSchedule"][];
            /** @description The deployment that is active in `production` and that invocations use; null before the first one, while they use the draft. */
            active_deployment_id: components["schemas"]["DeploymentId"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description The envelope of a successful response. */
        AgentResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["Agent"];
        };
        /** @description The deleted agent. */
        AgentDeletion: {
            id: components["schemas"]["AgentId"];
            /**
             * @description Always `true`.
             * @constant
             */
            deleted: true;
        };
        /** @description The envelope of a successful response. */
        AgentDeletionResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["AgentDeletion"];
        };
        /** @description The fields of the draft configuration to change. Omitted fields keep their values. */
        AgentUpdate: {
            model?: components["schemas"]["ModelName"];
            temperature?: components["schemas"]["Temperature"];
            instructions?: components["schemas"]["Instructions"];
        };
        /**
         * @description Your label for the version, unique within the agent and environment.
         * @example 1.4.0
         */
        VersionLabel: string;
        /**
         * @description `active`: in use in its environment. `superseded`: replaced by a later deployment. `rolled_back`: undone by a rollback. New values may be added.
         * @enum {string}
         */
        DeploymentStatus: "active" | "superseded" | "rolled_back";
        /**
         * @description The id of an API key. It is not a secret and cannot be used to authenticate.
         * @example key_01m3v7xjz0etnv3twffmsrhx7s
         */
        KeyId: string;
        /** @description A frozen configuration of an agent in one environment. */
        Deployment: {
            id: components["schemas"]["DeploymentId"];
            agent_id: components["schemas"]["AgentId"];
            environment: components["schemas"]["Environment"];
            version: components["schemas"]["VersionLabel"];
            status: components["schemas"]["DeploymentStatus"];
            model: components["schemas"]["ModelName"];
            /** @description The randomness of the model, from 0 to 2; 1 if it is not set, in which case none is sent to the model. */
            temperature: components["schemas"]["Temperature"];
            instructions: components["schemas"]["Instructions"];
            settings: components["schemas"]["DeployedSettings"];
            created_at: components["schemas"]["Timestamp"];
            /** @description When the deployment last became active, by its creation or by a rollback of its successor. */
            activated_at: components["schemas"]["Timestamp"];
            /** @description The key that created the deployment; null if it was created with an agent token or the key record no longer exists. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description The deployment that was active before, which a rollback reactivates; null for the first one. */
            replaced_deployment_id: components["schemas"]["DeploymentId"] | null;
        };
        /** @description The envelope of a list response. */
        DeploymentList: {
            /** @description The items on this page. */
            data: components["schemas"]["Deployment"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The environment to activate the draft configuration in, and its version label. */
        DeploymentRequest: {
            /** @description Where to activate it, such as `production` or `staging`. Not `draft`, which is the configuration that is not deployed. */
            environment: components["schemas"]["Environment"];
            version: components["schemas"]["VersionLabel"];
        };
        /** @description The envelope of a successful response. */
        DeploymentResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["Deployment"];
        };
        /**
         * @description The severity of the entry.
         * @enum {string}
         */
        LogLevel: "debug" | "info" | "warn" | "error";
        /**
         * Format: date-time
         * @description A time in RFC 3339 format, from the year 1970, with any offset; responses use UTC. Fractions of a second are optional and truncated to milliseconds. In a query, write `+` as `%2B`.
         * @example 2026-11-02T00:00:00Z
         * @example 2026-11-02T01:00:00+01:00
         */
        TimestampInput: string;
        /**
         * @description The id of a log entry.
         * @example log_01m6dsg8d8ea0bnnqyjjjny65j
         */
        LogId: string;
        /** @description Structured data about the entry. Other keys depend on the entry, such as `duration_ms` or `attempt`. If an agent asks another one, `child_request_id` in the entry about the call and `parent_request_id` in the entries of the asked agent lead from one to the other. The last entry of an invocation has `tokens_used`, and `own_tokens` without those of the agents that it asked. */
        LogMetadata: {
            request_id: components["schemas"]["RequestId"];
            /** @description Of an invocation outside `production`, or of a deployment. */
            environment?: components["schemas"]["Environment"];
        } & {
            [key: string]: unknown;
        };
        /** @description An entry in the log of an agent. */
        LogEntry: {
            id: components["schemas"]["LogId"];
            timestamp: components["schemas"]["Timestamp"];
            level: components["schemas"]["LogLevel"];
            /** @description A human-readable message. It never contains secrets. */
            message: string;
            metadata: components["schemas"]["LogMetadata"];
        };
        /** @description The envelope of a list response. */
        LogList: {
            /** @description The items on this page. */
            data: components["schemas"]["LogEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description `response_time`: the mean duration of invocations. `throughput`: invocations per minute. `error_rate`: the share of invocations that failed. `token_usage`: the tokens that invocations used, including failed ones, as reported by their models.
         * @enum {string}
         */
        MetricName: "response_time" | "throughput" | "error_rate" | "token_usage";
        /**
         * @description The bucket length. Buckets are aligned to the Unix epoch, so a `1d` bucket starts at midnight UTC.
         * @default 1h
         * @enum {string}
         */
        Granularity: "1m" | "5m" | "1h" | "1d";
        /**
         * @description The unit of the value: `ms` for `response_time`, `requests_per_minute` for `throughput`, `percent` (0 to 100) for `error_rate`, `tokens` for `token_usage`.
         * @enum {string}
         */
        MetricUnit: "ms" | "requests_per_minute" | "percent" | "tokens";
        /** @description The value of a metric in one bucket. */
        MetricValue: {
            /** @description The start of the bucket. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description The value in `unit`. */
            value: number;
            unit: components["schemas"]["MetricUnit"];
        };
        /** @description One metric over time. */
        MetricSeries: {
            metric: components["schemas"]["MetricName"];
            /** @description One value per bucket, oldest first. */
            values: components["schemas"]["MetricValue"][];
        };
        /** @description The envelope of a successful response. */
        MetricSeriesResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["MetricSeries"];
        };
        /** @description Only entries of this user, this session and this environment, as far as they are given. */
        MemoryFilter: {
            user_id?: components["schemas"]["UserId"];
            session_id?: components["schemas"]["SessionId"];
            /** @description Only entries of invocations in this environment. */
            environment?: components["schemas"]["Environment"];
        };
        /** @description A search query. */
        MemorySearch: {
            /** @description The words to search for. Inflected forms match too. */
            query: string;
            /**
             * @description The maximum number of results to return.
             * @default 10
             */
            limit: number;
            filter?: components["schemas"]["MemoryFilter"];
        };
        /**
         * @description The id of a memory entry.
         * @example mem_01m61kyqxrfjgb5jatm52c3m7z
         */
        MemoryId: string;
        /** @description The origin of a memory entry. */
        MemoryMetadata: {
            /** @description The session of the invocation; null if it had none. */
            session_id: components["schemas"]["SessionId"] | null;
            /** @description The user of the invocation; null if it had none. */
            user_id: components["schemas"]["UserId"] | null;
            request_id: components["schemas"]["RequestId"];
            /** @description The environment of the invocation, unless it was `production`. */
            environment?: components["schemas"]["Environment"];
        };
        /** @description A remembered message or reply that matches the query. */
        MemoryMatch: {
            id: components["schemas"]["MemoryId"];
            /** @description The text of the message or reply. */
            content: string;
            /**
             * @description The author of the text. New values may be added.
             * @enum {string}
             */
            role: "user" | "agent";
            /** @description The relevance, from 0 to 1. Comparable within one response, not between queries. */
            score: number;
            metadata: components["schemas"]["MemoryMetadata"];
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description The envelope of a list response. */
        MemoryMatchList: {
            /** @description The items on this page. */
            data: components["schemas"]["MemoryMatch"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The result of clearing the memory. */
        MemoryClearing: {
            /**
             * Format: int64
             * @description The number of deleted entries.
             */
            cleared: number;
        };
        /** @description The envelope of a successful response. */
        MemoryClearingResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["MemoryClearing"];
        };
        /**
         * @description `agent.completed` is sent after a successful invocation, `agent.failed` after a failed one, and `agent.paused` when one waits for approval.
         * @enum {string}
         */
        EventType: "agent.completed" | "agent.failed" | "agent.paused";
        /**
         * @description The id of a webhook.
         * @example wh_01m3y21g40em7a3s4w04zg1hhc
         */
        WebhookId: string;
        /**
         * Format: uri
         * @description The URL that receives the events. It must use https and must not resolve to a private, loopback, link-local or other special address. The operator can allow http and private addresses for development.
         * @example https://hooks.acme.example/agents
         */
        WebhookUrl: string;
        /** @description The events that are delivered. New values may be added. */
        DeliveredEvents: ("agent.completed" | "agent.failed" | "agent.paused")[];
        /**
         * @description `disabled` after the receiver responded with 410 or failed for five days without a success. To enable it again, delete the webhook and create a new one. New values may be added.
         * @enum {string}
         */
        WebhookStatus: "enabled" | "disabled";
        /** @description The state of a delivery after its last attempt. */
        WebhookDelivery: {
            /**
             * @description `succeeded`: the receiver responded with 2xx. `pending`: an attempt failed and another one will follow. `failed`: given up after the last attempt. New values may be added.
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /** @description The number of attempts so far. */
            attempts: number;
            /** @description The time of the last attempt. */
            at: components["schemas"]["Timestamp"];
            /** @description The HTTP status of the receiver's response to the last attempt; null if there was none. */
            response_code: number | null;
            /** @description Why the delivery has not succeeded, in human-readable form; null if it has. */
            error: string | null;
            /** @description When the next attempt is due; null if none is scheduled, because the delivery succeeded or was given up, or while an attempt is running. */
            next_attempt_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description A URL that receives events. */
        Webhook: {
            id: components["schemas"]["WebhookId"];
            /** @description The agent that the webhook is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["DeliveredEvents"];
            status: components["schemas"]["WebhookStatus"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The id of the key that created the webhook; null if the operator created it, or if it is older than this field. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description The last attempted delivery; null before the first one. */
            last_delivery: components["schemas"]["WebhookDelivery"] | null;
        };
        /** @description The envelope of a list response. */
        WebhookList: {
            /** @description The items on this page. */
            data: components["schemas"]["Webhook"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description The events to deliver. */
        EventTypes: components["schemas"]["EventType"][];
        /** @description The URL and its events. */
        WebhookRequest: {
            /** @description The id or name of the agent whose events are sent; omitted or null for all current and future agents of the account. A key that is limited to an agent can create webhooks only for that agent. */
            agent_id?: components["schemas"]["AgentReference"] | null;
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["EventTypes"];
        };
        /** @description A new webhook with its secret, which is shown only once. */
        CreatedWebhook: {
            id: components["schemas"]["WebhookId"];
            /** @description The agent that the webhook is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["DeliveredEvents"];
            status: components["schemas"]["WebhookStatus"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The id of the key that created the webhook; null if the operator created it, or if it is older than this field. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description The last attempted delivery; always null for a new webhook. */
            last_delivery: components["schemas"]["WebhookDelivery"] | null;
            /** @description The signing secret: `whsec_` and 32 random bytes in base64. Store it where the receiver can read it: it is not shown again. */
            secret: string;
        };
        /** @description The envelope of a successful response. */
        CreatedWebhookResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["CreatedWebhook"];
        };
        /**
         * @description The id of an event. It is the same for every delivery attempt, so receivers can deduplicate events.
         * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
         */
        EventId: string;
        /** @description The invocation's result. It does not repeat the message. */
        AgentCompletion: {
            agent_id: components["schemas"]["AgentId"];
            request_id: components["schemas"]["RequestId"];
            /** @description The schedule that made the invocation. Left out for an invocation by a request. */
            schedule?: components["schemas"]["ScheduleName"];
            /** @description The environment of the invocation, unless it is `production`. */
            environment?: components["schemas"]["Environment"];
            /** @description The agent's reply. */
            response: string;
            /** @description The sum of input and output tokens of all models that the invocation called, with those of the agents that it asked. */
            tokens_used: components["schemas"]["TokenCount"];
            duration_ms: components["schemas"]["DurationMs"];
            status: components["schemas"]["InvocationStatus"];
            finish_reason?: components["schemas"]["FinishReason"];
            usage?: components["schemas"]["TokenUsage"];
        };
        /** @description An invocation succeeded. */
        AgentCompletedEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description The event type. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.completed";
            created_at: components["schemas"]["Timestamp"];
            data: components["schemas"]["AgentCompletion"];
        };
        /** @description The error of a failed invocation. */
        InvocationFailure: {
            /**
             * @description The error code that the caller got or would have got; `timeout` also if nobody decided its pending calls in time; `invalid_request` if the agent was changed before it ran, and its tools need a value that the request lacks; `not_found` if the environment of a queued invocation lost its deployment; `cancelled` if the caller or the operator cancelled it, the caller disconnected, or if another agent had asked and the invocation of that agent ended, or calls would have had to wait for approval. New values may be added.
             * @enum {string}
             */
            code: "invalid_request" | "upstream_error" | "unavailable" | "timeout" | "rate_limited" | "payload_too_large" | "not_found" | "server_error" | "cancelled";
            /** @description A human-readable message. */
            message: string;
        };
        /** @description The failed invocation and its error. */
        AgentFailure: {
            agent_id: components["schemas"]["AgentId"];
            request_id: components["schemas"]["RequestId"];
            /** @description The schedule that made the invocation. Left out for an invocation by a request. */
            schedule?: components["schemas"]["ScheduleName"];
            /** @description The environment of the invocation, unless it is `production`. */
            environment?: components["schemas"]["Environment"];
            error: components["schemas"]["InvocationFailure"];
        };
        /** @description An invocation failed. */
        AgentFailedEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description The event type. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.failed";
            created_at: components["schemas"]["Timestamp"];
            data: components["schemas"]["AgentFailure"];
        };
        /** @description The waiting invocation and the tool calls to decide. It does not repeat the message. */
        AgentPause: {
            agent_id: components["schemas"]["AgentId"];
            request_id: components["schemas"]["RequestId"];
            /** @description The schedule that made the invocation. Left out for an invocation by a request. */
            schedule?: components["schemas"]["ScheduleName"];
            /** @description The environment of the invocation, unless it is `production`. */
            environment?: components["schemas"]["Environment"];
            /** @description The text so far, which may be empty. */
            response: string;
            /** @description The sum of input and output tokens of all models that the invocation called, with those of the agents that it asked. */
            tokens_used: components["schemas"]["TokenCount"];
            duration_ms: components["schemas"]["DurationMs"];
            status: components["schemas"]["InvocationStatus"];
            usage?: components["schemas"]["TokenUsage"];
            approvals: components["schemas"]["PendingApprovals"];
        };
        /** @description An invocation waits for approval. */
        AgentPausedEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description The event type. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.paused";
            created_at: components["schemas"]["Timestamp"];
            data: components["schemas"]["AgentPause"];
        };
        /** @description An event that is delivered to a webhook, distinguished by `type`. */
        WebhookEvent: components["schemas"]["AgentCompletedEvent"] | components["schemas"]["AgentFailedEvent"] | components["schemas"]["AgentPausedEvent"];
        /** @description The deleted webhook. */
        WebhookDeletion: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description Always `true`.
             * @constant
             */
            deleted: true;
        };
        /** @description The envelope of a successful response. */
        WebhookDeletionResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["WebhookDeletion"];
        };
        /**
         * @description A descriptive name, such as the program that uses the key. It does not have to be unique.
         * @example Help desk backend
         */
        KeyName: string;
        /** @description The permissions of the key. New values may be added. */
        GrantedPermissions: ("read" | "write" | "delete" | "manage")[];
        /**
         * @description The prefix and the last four characters of the key, to recognise it by.
         * @example ahs_…kW3d
         */
        KeyPreview: string;
        /** @description An API key without its secret. */
        ApiKey: {
            id: components["schemas"]["KeyId"];
            /** @description The agent that the key is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            name: components["schemas"]["KeyName"];
            permissions: components["schemas"]["GrantedPermissions"];
            preview: components["schemas"]["KeyPreview"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The id of the key that created this one; null if the operator created it. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description When the key was last used, accurate to about a minute; null if never. */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /** @description When the key expires; null if it never does. */
            expires_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description The envelope of a list response. */
        ApiKeyList: {
            /** @description The items on this page. */
            data: components["schemas"]["ApiKey"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description One line of visible characters: no control characters, line separators, zero-width characters, or characters that change the writing direction.
         * @example Help desk backend
         */
        PrintableText: string;
        /**
         * @description `read`: read agents, deployments, logs, metrics, memory and webhooks. `write`: invoke, update, deploy, roll back, create webhooks. `delete`: delete agents, memory and webhooks. `manage`: create, list and revoke keys. No permission includes another.
         * @enum {string}
         */
        Permission: "read" | "write" | "delete" | "manage";
        /** @description The permissions of the key. A key can grant only permissions that it has itself. */
        Permissions: components["schemas"]["Permission"][];
        /** @description The key that the new one replaces, and how long it still works. */
        KeyReplacement: {
            key_id: components["schemas"]["KeyId"];
            /** @description When the replaced key expires, a time in the future that is not later than the expiry it has. */
            expires_at: components["schemas"]["TimestampInput"];
        };
        /** @description The permissions and scope of the new key. */
        ApiKeyRequest: {
            /** @description The id or name of the agent that the key is limited to; omitted or null for the whole account. A key that is limited to an agent can create keys only for that agent. */
            agent_id?: components["schemas"]["AgentReference"] | null;
            /** @description A descriptive name, such as the program that uses the key. It does not have to be unique. */
            name: components["schemas"]["PrintableText"];
            permissions: components["schemas"]["Permissions"];
            /** @description When the key expires, a time in the future; null for never. If omitted, it expires with the key that creates it. A key that expires cannot create a key that expires later (400). */
            expires_at?: components["schemas"]["TimestampInput"] | null;
            /** @description Rotates a key: the new key is created and the replaced one gets an expiry, both or neither. The new key takes nothing from the replaced one. */
            replaces?: components["schemas"]["KeyReplacement"];
        };
        /** @description A new API key with its secret, which is shown only once. */
        CreatedApiKey: {
            id: components["schemas"]["KeyId"];
            /** @description The agent that the key is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            name: components["schemas"]["KeyName"];
            permissions: components["schemas"]["GrantedPermissions"];
            preview: components["schemas"]["KeyPreview"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The id of the key that created this one; null if the operator created it. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description When the key was last used; always null for a new key. */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /** @description When the key expires; null if it never does. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description The key itself, for the `Authorization` header. Store it securely now: it is not shown again. */
            key: string;
        };
        /** @description The envelope of a successful response. */
        CreatedApiKeyResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["CreatedApiKey"];
        };
        /** @description The revoked key. */
        ApiKeyRevocation: {
            id: components["schemas"]["KeyId"];
            /**
             * @description Always `true`.
             * @constant
             */
            revoked: true;
        };
        /** @description The envelope of a successful response. */
        ApiKeyRevocationResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["ApiKeyRevocation"];
        };
    };
    responses: {
        /** @description The agent's reply, or the tool calls that wait for approval. */
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
                "application/json": components["schemas"]["InvocationResponse"];
                "text/event-stream": string;
            };
        };
        /** @description The invocation was stored and will run, even if the process is killed. With `Preference-Applied: cancel`, the running or waiting invocation is cancelled. */
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
                "application/json": components["schemas"]["AcceptedInvocationResponse"];
            };
        };
        /** @description A parameter, header or body field is missing or invalid; `details` lists each problem. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The key or token is missing, unknown, expired or revoked. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The key lacks the permission, the agent's security settings reject the request, or a token names another environment than `production`. */
        InvocationForbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The agent does not exist, the key has no access to it, the environment has no active deployment, or no request has the `Idempotency-Key` of a request to cancel. */
        AgentOrInvocationNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The path exists but does not support this method. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The agent is stopped, a request with the same Idempotency-Key is still running, the invocation that this request repeats was cancelled or its caller disconnected after the agent had called a tool, the calls to decide were decided before or have expired, the stream of `Last-Event-ID` is no longer known, or agents call each other in a loop. */
        InvocationConflict: {
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The body is larger than 1 MiB or the limit that the operator has set, or the message is too long for the agent's model. */
        InvocationTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The body is not `application/json`. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The Idempotency-Key was already used with a different body. */
        IdempotencyMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Too many requests from the account or to the agent, too many concurrent invocations, too many failed authentications from the client address, or a token budget or daily limit that is used up. */
        InvocationRateLimited: {
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description An internal error of the service. */
        ServerError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The model provider, the agent's own endpoint or an MCP server failed or returned an invalid response, or the provider refused to answer. The message names which. If the service has already retried, `retryable` is `false`. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The model provider or the agent's own endpoint is rate limiting, or the service cannot handle the request now. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The agent exceeded its timeout (60 seconds by default). */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A page of agents. */
        AgentsListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AgentList"];
            };
        };
        /** @description The key lacks the permission, or the agent's security settings reject the request. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Too many requests from the account or to the agent, too many concurrent invocations, too many failed authentications from the client address, or a daily limit of the account that is used up, which the message names. The request does not count against the limit. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The service cannot handle the request now. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The agent. */
        AgentReturned: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AgentResponse"];
            };
        };
        /** @description The agent does not exist, or the key has no access to it. */
        AgentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The agent and everything that belonged to it were deleted. */
        AgentDeleted: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AgentDeletionResponse"];
            };
        };
        /** @description The key lacks the permission, or the agent's security settings reject the request or require a one-time code. */
        ForbiddenOrMfa: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A field is missing or invalid, or the model's provider is unknown or not configured; `details` lists each problem. */
        InvalidConfiguration: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The body is larger than 1 MiB or the limit that the operator has set. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A page of deployments. */
        DeploymentsListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DeploymentList"];
            };
        };
        /** @description The new deployment, which is now active. */
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
                "application/json": components["schemas"]["DeploymentResponse"];
            };
        };
        /** @description A field is missing or invalid, such as the environment `draft`, or the model's provider is unknown or not configured; `details` lists each problem. */
        InvalidDeployment: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The version label is taken, or a request with the same Idempotency-Key is still running. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The deployment that is now active. */
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
                "application/json": components["schemas"]["DeploymentResponse"];
            };
        };
        /** @description The agent or deployment does not exist, or the key has no access to it. */
        DeploymentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The deployment is not active, it replaced no other deployment, or a request with the same Idempotency-Key is still running. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A page of log entries, newest first. */
        LogsListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LogList"];
            };
        };
        /** @description The metric series. */
        MetricsReturned: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MetricSeriesResponse"];
            };
        };
        /** @description The matches, best first. `offset` is always 0, and `total` is the number of matches that were compared, at most 1,000. The contents of all matches have at most 4 MB in total: fewer matches are returned if they would exceed it, but always the first one. */
        MemorySearched: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MemoryMatchList"];
            };
        };
        /** @description The memory was cleared. */
        MemoryCleared: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["MemoryClearingResponse"];
            };
        };
        /** @description A page of webhooks. */
        WebhooksListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookList"];
            };
        };
        /** @description The webhook with its secret, which is shown only once. */
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
                "application/json": components["schemas"]["CreatedWebhookResponse"];
            };
        };
        /** @description The account has as many webhooks as its limit allows, or a request with the same Idempotency-Key is still running. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The webhook was deleted. A delivery in progress may still arrive. */
        WebhookDeleted: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookDeletionResponse"];
            };
        };
        /** @description The webhook does not exist, or the key has no access to it. */
        WebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A page of keys. Revoked keys are not listed. */
        ApiKeysListed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiKeyList"];
            };
        };
        /** @description The key record with the key itself, which is shown only once. */
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
                "application/json": components["schemas"]["CreatedApiKeyResponse"];
            };
        };
        /** @description The agent, or the key to replace, does not exist, or the calling key has no access to it. */
        AgentOrKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The account has as many keys as its limit allows, or a request with the same Idempotency-Key is still running. */
        ApiKeyConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The key was revoked. It stops working on every instance within a second. */
        ApiKeyRevoked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiKeyRevocationResponse"];
            };
        };
        /** @description The key does not exist, is already revoked, or the caller has no access to it. */
        KeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
    };
    parameters: {
        /**
         * @description The agent's id or name.
         * @example support-bot
         */
        AgentIdParameter: components["schemas"]["AgentReference"];
        /**
         * @description Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * @description `respond-async` returns a 202 immediately, and the result arrives by webhook. `wait=30` makes a repeat of the request with the same `Idempotency-Key` wait for the result, for up to that many seconds and at most 60; if there is none by then, the response is another 202. `grace=0` stops the invocation of a stream with an `Idempotency-Key` as soon as you disconnect, instead of after the grace period. `cancel` stops the invocation of an earlier request with the same `Idempotency-Key` and body, and runs nothing; without that header it is a 400. Unknown preferences are ignored, as RFC 7240 requires.
         * @example respond-async
         */
        Prefer: string;
        /**
         * @description Resumes a stream after a lost connection: the id of the last event that you received, or `0` for the beginning. Repeat the request with the same `Idempotency-Key`, the same body and `Accept: text/event-stream`, at any instance, to get the events after it. The request never runs the agent: if the stream is no longer known, the response is a 409. Without `Idempotency-Key` or `Accept: text/event-stream` it is a 400.
         * @example req_01m6dsg7e0eha8ks12y199e68y.2
         */
        LastEventId: string;
        /**
         * @description What the agent's tools send as `${caller.token}`: the whole value of an Authorization header, such as `Bearer` and a token of the user for your API. By default it is `Bearer` and your own token; an API key is never sent to a tool. The service keeps it encrypted until the invocation ends, and removes it from whatever a tool returns. It is a 400 if no tool of the agent uses it.
         * @example Bearer 2YotnFZFEjr1zCsicMWpAA
         */
        ToolAuthorization: string;
        /**
         * @description The maximum number of items to return.
         * @example 10
         */
        Limit: number;
        /**
         * @description The number of items to skip.
         * @example 0
         */
        Offset: number;
        /**
         * @description The field to sort by, with a leading `-` for descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        AgentSort: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name";
        /**
         * @description Only agents with this status.
         * @example running
         */
        AgentStatusFilter: "running" | "stopped";
        /**
         * @description Only the agent with exactly this name.
         * @example support-bot
         */
        AgentNameFilter: components["schemas"]["AgentName"];
        /**
         * @description A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once.
         * @example 492039
         */
        MfaCode: string;
        /**
         * @description The field to sort by, with a leading `-` for descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        DeploymentSort: "created_at" | "-created_at" | "version" | "-version";
        /**
         * @description Only deployments in this environment.
         * @example production
         */
        EnvironmentFilter: components["schemas"]["Environment"];
        /**
         * @description Only deployments with this status.
         * @example active
         */
        DeploymentStatusFilter: "active" | "superseded" | "rolled_back";
        /**
         * @description The deployment's id.
         * @example dep_01m6dqs9m0fsw90fq1accfsmnf
         */
        DeploymentIdParameter: components["schemas"]["DeploymentId"];
        /**
         * @description The maximum number of entries to return.
         * @example 100
         */
        LogLimit: number;
        /**
         * @description Only entries with exactly this level.
         * @example info
         */
        LevelFilter: components["schemas"]["LogLevel"];
        /**
         * @description Only entries of this request.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        RequestIdFilter: components["schemas"]["RequestId"];
        /**
         * @description Only invocations in this environment. `production` leaves out what invocations in other environments did, and nothing else. Without it, all environments.
         * @example staging
         */
        InvocationEnvironmentFilter: components["schemas"]["Environment"];
        /**
         * @description The start of the range, inclusive.
         * @example 2026-11-02T06:00:00Z
         */
        StartTime: components["schemas"]["TimestampInput"];
        /**
         * @description The end of the range, exclusive.
         * @example 2026-11-02T10:00:00Z
         */
        EndTime: components["schemas"]["TimestampInput"];
        /**
         * @description The metric to return.
         * @example response_time
         */
        Metric: components["schemas"]["MetricName"];
        /**
         * @description The bucket length. The range can have at most 1,500 buckets.
         * @example 1h
         */
        GranularityParameter: components["schemas"]["Granularity"];
        /**
         * @description The field to sort by, with a leading `-` for descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        WebhookSort: "created_at" | "-created_at";
        /**
         * @description Only items that are limited to this agent, given by id or name. Items for the whole account are omitted.
         * @example support-bot
         */
        AgentFilter: components["schemas"]["AgentReference"];
        /**
         * @description Only webhooks that receive this event.
         * @example agent.failed
         */
        EventFilter: components["schemas"]["EventType"];
        /**
         * @description The hex HMAC-SHA256 of the raw body, keyed with the webhook's secret as shown (with `whsec_`). Compare it in constant time before you parse the body, and respond with 401 if it differs.
         * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
         */
        ServiceSignature: string;
        /**
         * @description The event id, the same for every attempt (Standard Webhooks).
         * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
         */
        DeliveryId: components["schemas"]["EventId"];
        /**
         * @description The time of this attempt in Unix seconds. Reject timestamps that are more than a few minutes old (Standard Webhooks).
         * @example 1793611801
         */
        DeliveryTimestamp: number;
        /**
         * @description `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the bytes that the secret encodes after `whsec_`. Any Standard Webhooks library can verify it.
         * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
         */
        DeliverySignature: string;
        /**
         * @description The webhook's id.
         * @example wh_01m3y21g40em7a3s4w04zg1hhc
         */
        WebhookIdParameter: components["schemas"]["WebhookId"];
        /**
         * @description The field to sort by, with a leading `-` for descending order. Keys that were never used come last when sorted by `last_used_at`, in both directions. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        KeySort: "created_at" | "-created_at" | "name" | "-name" | "last_used_at" | "-last_used_at";
        /**
         * @description The key's id.
         * @example key_01m6drbkj0e0avwty5ntqmgds4
         */
        KeyIdParameter: components["schemas"]["KeyId"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of this request, in every response. Its log entries and events have the same id.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        "X-Request-Id": components["schemas"]["RequestId"];
        /**
         * @description The capacity of the account's bucket in requests: the burst of its tier, unless the operator has set another. The rate-limit headers are left out for an account whose rate is unlimited.
         * @example 2000
         */
        "X-RateLimit-Limit": number;
        /**
         * @description The number of requests left in the bucket.
         * @example 1993
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When the bucket will be full again if no more requests are sent, in Unix seconds.
         * @example 1793611801
         */
        "X-RateLimit-Reset": number;
        /**
         * @description `true` if this is the stored response to an earlier request with the same `Idempotency-Key`; otherwise absent.
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * @description `respond-async` or `cancel` if the preference was applied.
         * @example respond-async
         */
        "Preference-Applied": "respond-async" | "cancel";
        /**
         * @description How to authenticate, as defined in RFC 6750.
         * @example Bearer realm="agent-hosting"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that this path supports.
         * @example GET, HEAD, OPTIONS, PATCH, DELETE
         */
        Allow: string;
        /**
         * @description Seconds to wait before the next attempt, equal to `error.retry_after`.
         * @example 12
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type AgentReference = components['schemas']['AgentReference'];
export type UserMessage = components['schemas']['UserMessage'];
export type UserId = components['schemas']['UserId'];
export type SessionId = components['schemas']['SessionId'];
export type InvocationContext = components['schemas']['InvocationContext'];
export type Environment = components['schemas']['Environment'];
export type RequestId = components['schemas']['RequestId'];
export type CallId = components['schemas']['CallId'];
export type ApprovalDecision = components['schemas']['ApprovalDecision'];
export type InvocationResume = components['schemas']['InvocationResume'];
export type InvocationRequest = components['schemas']['InvocationRequest'];
export type TokenCount = components['schemas']['TokenCount'];
export type DurationMs = components['schemas']['DurationMs'];
export type InvocationStatus = components['schemas']['InvocationStatus'];
export type FinishReason = components['schemas']['FinishReason'];
export type TokenUsage = components['schemas']['TokenUsage'];
export type ToolName = components['schemas']['ToolName'];
export type ToolArguments = components['schemas']['ToolArguments'];
export type Approver = components['schemas']['Approver'];
export type Timestamp = components['schemas']['Timestamp'];
export type PendingApproval = components['schemas']['PendingApproval'];
export type PendingApprovals = components['schemas']['PendingApprovals'];
export type Invocation = components['schemas']['Invocation'];
export type InvocationResponse = components['schemas']['InvocationResponse'];
export type InvocationEventId = components['schemas']['InvocationEventId'];
export type InvocationDelta = components['schemas']['InvocationDelta'];
export type InvocationDeltaEvent = components['schemas']['InvocationDeltaEvent'];
export type InvocationToolCall = components['schemas']['InvocationToolCall'];
export type InvocationToolEvent = components['schemas']['InvocationToolEvent'];
export type InvocationDoneEvent = components['schemas']['InvocationDoneEvent'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type FieldProblem = components['schemas']['FieldProblem'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type InvocationErrorEvent = components['schemas']['InvocationErrorEvent'];
export type InvocationEvent = components['schemas']['InvocationEvent'];
export type AcceptedInvocation = components['schemas']['AcceptedInvocation'];
export type AcceptedInvocationResponse = components['schemas']['AcceptedInvocationResponse'];
export type ErrorResponse = components['schemas']['ErrorResponse'];
export type AgentName = components['schemas']['AgentName'];
export type AgentId = components['schemas']['AgentId'];
export type AgentStatus = components['schemas']['AgentStatus'];
export type AgentSummary = components['schemas']['AgentSummary'];
export type Pagination = components['schemas']['Pagination'];
export type AgentList = components['schemas']['AgentList'];
export type ModelName = components['schemas']['ModelName'];
export type Temperature = components['schemas']['Temperature'];
export type Instructions = components['schemas']['Instructions'];
export type DeployedSettings = components['schemas']['DeployedSettings'];
export type AgentPolicy = components['schemas']['AgentPolicy'];
export type ScheduleName = components['schemas']['ScheduleName'];
export type CronExpression = components['schemas']['CronExpression'];
export type TimeZone = components['schemas']['TimeZone'];
export type ScheduleOutcome = components['schemas']['ScheduleOutcome'];
export type ScheduleRun = components['schemas']['ScheduleRun'];
export type AgentSchedule = components['schemas']['AgentSchedule'];
export type DeploymentId = components['schemas']['DeploymentId'];
export type Agent = components['schemas']['Agent'];
export type AgentResponse = components['schemas']['AgentResponse'];
export type AgentDeletion = components['schemas']['AgentDeletion'];
export type AgentDeletionResponse = components['schemas']['AgentDeletionResponse'];
export type AgentUpdate = components['schemas']['AgentUpdate'];
export type VersionLabel = components['schemas']['VersionLabel'];
export type DeploymentStatus = components['schemas']['DeploymentStatus'];
export type KeyId = components['schemas']['KeyId'];
export type Deployment = components['schemas']['Deployment'];
export type DeploymentList = components['schemas']['DeploymentList'];
export type DeploymentRequest = components['schemas']['DeploymentRequest'];
export type DeploymentResponse = components['schemas']['DeploymentResponse'];
export type LogLevel = components['schemas']['LogLevel'];
export type TimestampInput = components['schemas']['TimestampInput'];
export type LogId = components['schemas']['LogId'];
export type LogMetadata = components['schemas']['LogMetadata'];
export type LogEntry = components['schemas']['LogEntry'];
export type LogList = components['schemas']['LogList'];
export type MetricName = components['schemas']['MetricName'];
export type Granularity = components['schemas']['Granularity'];
export type MetricUnit = components['schemas']['MetricUnit'];
export type MetricValue = components['schemas']['MetricValue'];
export type MetricSeries = components['schemas']['MetricSeries'];
export type MetricSeriesResponse = components['schemas']['MetricSeriesResponse'];
export type MemoryFilter = components['schemas']['MemoryFilter'];
export type MemorySearch = components['schemas']['MemorySearch'];
export type MemoryId = components['schemas']['MemoryId'];
export type MemoryMetadata = components['schemas']['MemoryMetadata'];
export type MemoryMatch = components['schemas']['MemoryMatch'];
export type MemoryMatchList = components['schemas']['MemoryMatchList'];
export type MemoryClearing = components['schemas']['MemoryClearing'];
export type MemoryClearingResponse = components['schemas']['MemoryClearingResponse'];
export type EventType = components['schemas']['EventType'];
export type WebhookId = components['schemas']['WebhookId'];
export type WebhookUrl = components['schemas']['WebhookUrl'];
export type DeliveredEvents = components['schemas']['DeliveredEvents'];
export type WebhookStatus = components['schemas']['WebhookStatus'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookList = components['schemas']['WebhookList'];
export type EventTypes = components['schemas']['EventTypes'];
export type WebhookRequest = components['schemas']['WebhookRequest'];
export type CreatedWebhook = components['schemas']['CreatedWebhook'];
export type CreatedWebhookResponse = components['schemas']['CreatedWebhookResponse'];
export type EventId = components['schemas']['EventId'];
export type AgentCompletion = components['schemas']['AgentCompletion'];
export type AgentCompletedEvent = components['schemas']['AgentCompletedEvent'];
export type InvocationFailure = components['schemas']['InvocationFailure'];
export type AgentFailure = components['schemas']['AgentFailure'];
export type AgentFailedEvent = components['schemas']['AgentFailedEvent'];
export type AgentPause = components['schemas']['AgentPause'];
export type AgentPausedEvent = components['schemas']['AgentPausedEvent'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookDeletion = components['schemas']['WebhookDeletion'];
export type WebhookDeletionResponse = components['schemas']['WebhookDeletionResponse'];
export type KeyName = components['schemas']['KeyName'];
export type GrantedPermissions = components['schemas']['GrantedPermissions'];
export type KeyPreview = components['schemas']['KeyPreview'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyList = components['schemas']['ApiKeyList'];
export type PrintableText = components['schemas']['PrintableText'];
export type Permission = components['schemas']['Permission'];
export type Permissions = components['schemas']['Permissions'];
export type KeyReplacement = components['schemas']['KeyReplacement'];
export type ApiKeyRequest = components['schemas']['ApiKeyRequest'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type CreatedApiKeyResponse = components['schemas']['CreatedApiKeyResponse'];
export type ApiKeyRevocation = components['schemas']['ApiKeyRevocation'];
export type ApiKeyRevocationResponse = components['schemas']['ApiKeyRevocationResponse'];
export type ResponseInvocationAnswered = components['responses']['InvocationAnswered'];
export type ResponseInvocationAccepted = components['responses']['InvocationAccepted'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseInvocationForbidden = components['responses']['InvocationForbidden'];
export type ResponseAgentOrInvocationNotFound = components['responses']['AgentOrInvocationNotFound'];
export type ResponseMethodNotAllowed = components['responses']['MethodNotAllowed'];
export type ResponseInvocationConflict = components['responses']['InvocationConflict'];
export type ResponseInvocationTooLarge = components['responses']['InvocationTooLarge'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseIdempotencyMismatch = components['responses']['IdempotencyMismatch'];
export type ResponseInvocationRateLimited = components['responses']['InvocationRateLimited'];
export type ResponseServerError = components['responses']['ServerError'];
export type ResponseUpstreamError = components['responses']['UpstreamError'];
export type ResponseInvocationUnavailable = components['responses']['InvocationUnavailable'];
export type ResponseTimeout = components['responses']['Timeout'];
export type ResponseAgentsListed = components['responses']['AgentsListed'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseAgentReturned = components['responses']['AgentReturned'];
export type ResponseAgentNotFound = components['responses']['AgentNotFound'];
export type ResponseAgentDeleted = components['responses']['AgentDeleted'];
export type ResponseForbiddenOrMfa = components['responses']['ForbiddenOrMfa'];
export type ResponseInvalidConfiguration = components['responses']['InvalidConfiguration'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseDeploymentsListed = components['responses']['DeploymentsListed'];
export type ResponseDeploymentCreated = components['responses']['DeploymentCreated'];
export type ResponseInvalidDeployment = components['responses']['InvalidDeployment'];
export type ResponseDeploymentConflict = components['responses']['DeploymentConflict'];
export type ResponseDeploymentRolledBack = components['responses']['DeploymentRolledBack'];
export type ResponseDeploymentNotFound = components['responses']['DeploymentNotFound'];
export type ResponseRollbackConflict = components['responses']['RollbackConflict'];
export type ResponseLogsListed = components['responses']['LogsListed'];
export type ResponseMetricsReturned = components['responses']['MetricsReturned'];
export type ResponseMemorySearched = components['responses']['MemorySearched'];
export type ResponseMemoryCleared = components['responses']['MemoryCleared'];
export type ResponseWebhooksListed = components['responses']['WebhooksListed'];
export type ResponseWebhookCreated = components['responses']['WebhookCreated'];
export type ResponseWebhookConflict = components['responses']['WebhookConflict'];
export type ResponseWebhookDeleted = components['responses']['WebhookDeleted'];
export type ResponseWebhookNotFound = components['responses']['WebhookNotFound'];
export type ResponseApiKeysListed = components['responses']['ApiKeysListed'];
export type ResponseApiKeyCreated = components['responses']['ApiKeyCreated'];
export type ResponseAgentOrKeyNotFound = components['responses']['AgentOrKeyNotFound'];
export type ResponseApiKeyConflict = components['responses']['ApiKeyConflict'];
export type ResponseApiKeyRevoked = components['responses']['ApiKeyRevoked'];
export type ResponseKeyNotFound = components['responses']['KeyNotFound'];
export type ParameterAgentIdParameter = components['parameters']['AgentIdParameter'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterPrefer = components['parameters']['Prefer'];
export type ParameterLastEventId = components['parameters']['LastEventId'];
export type ParameterToolAuthorization = components['parameters']['ToolAuthorization'];
export type ParameterLimit = components['parameters']['Limit'];
export type ParameterOffset = components['parameters']['Offset'];
export type ParameterAgentSort = components['parameters']['AgentSort'];
export type ParameterAgentStatusFilter = components['parameters']['AgentStatusFilter'];
export type ParameterAgentNameFilter = components['parameters']['AgentNameFilter'];
export type ParameterMfaCode = components['parameters']['MfaCode'];
export type ParameterDeploymentSort = components['parameters']['DeploymentSort'];
export type ParameterEnvironmentFilter = components['parameters']['EnvironmentFilter'];
export type ParameterDeploymentStatusFilter = components['parameters']['DeploymentStatusFilter'];
export type ParameterDeploymentIdParameter = components['parameters']['DeploymentIdParameter'];
export type ParameterLogLimit = components['parameters']['LogLimit'];
export type ParameterLevelFilter = components['parameters']['LevelFilter'];
export type ParameterRequestIdFilter = components['parameters']['RequestIdFilter'];
export type ParameterInvocationEnvironmentFilter = components['parameters']['InvocationEnvironmentFilter'];
export type ParameterStartTime = components['parameters']['StartTime'];
export type ParameterEndTime = components['parameters']['EndTime'];
export type ParameterMetric = components['parameters']['Metric'];
export type ParameterGranularityParameter = components['parameters']['GranularityParameter'];
export type ParameterWebhookSort = components['parameters']['WebhookSort'];
export type ParameterAgentFilter = components['parameters']['AgentFilter'];
export type ParameterEventFilter = components['parameters']['EventFilter'];
export type ParameterServiceSignature = components['parameters']['ServiceSignature'];
export type ParameterDeliveryId = components['parameters']['DeliveryId'];
export type ParameterDeliveryTimestamp = components['parameters']['DeliveryTimestamp'];
export type ParameterDeliverySignature = components['parameters']['DeliverySignature'];
export type ParameterWebhookIdParameter = components['parameters']['WebhookIdParameter'];
export type ParameterKeySort = components['parameters']['KeySort'];
export type ParameterKeyIdParameter = components['parameters']['KeyIdParameter'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderXRateLimitLimit = components['headers']['X-RateLimit-Limit'];
export type HeaderXRateLimitRemaining = components['headers']['X-RateLimit-Remaining'];
export type HeaderXRateLimitReset = components['headers']['X-RateLimit-Reset'];
export type HeaderIdempotencyReplayed = components['headers']['Idempotency-Replayed'];
export type HeaderPreferenceApplied = components['headers']['Preference-Applied'];
export type HeaderWwwAuthenticate = components['headers']['WWW-Authenticate'];
export type HeaderAllow = components['headers']['Allow'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type $defs = Record<string, never>;
export interface operations {
    invokeAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` returns a 202 immediately, and the result arrives by webhook. `wait=30` makes a repeat of the request with the same `Idempotency-Key` wait for the result, for up to that many seconds and at most 60; if there is none by then, the response is another 202. `grace=0` stops the invocation of a stream with an `Idempotency-Key` as soon as you disconnect, instead of after the grace period. `cancel` stops the invocation of an earlier request with the same `Idempotency-Key` and body, and runs nothing; without that header it is a 400. Unknown preferences are ignored, as RFC 7240 requires.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
                /**
                 * @description Resumes a stream after a lost connection: the id of the last event that you received, or `0` for the beginning. Repeat the request with the same `Idempotency-Key`, the same body and `Accept: text/event-stream`, at any instance, to get the events after it. The request never runs the agent: if the stream is no longer known, the response is a 409. Without `Idempotency-Key` or `Accept: text/event-stream` it is a 400.
                 * @example req_01m6dsg7e0eha8ks12y199e68y.2
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
                /**
                 * @description What the agent's tools send as `${caller.token}`: the whole value of an Authorization header, such as `Bearer` and a token of the user for your API. By default it is `Bearer` and your own token; an API key is never sent to a tool. The service keeps it encrypted until the invocation ends, and removes it from whatever a tool returns. It is a 400 if no tool of the agent uses it.
                 * @example Bearer 2YotnFZFEjr1zCsicMWpAA
                 */
                "X-Tool-Authorization"?: components["parameters"]["ToolAuthorization"];
            };
            path: {
                /**
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvocationRequest"];
            };
        };
        responses: {
            200: components["responses"]["InvocationAnswered"];
            202: components["responses"]["InvocationAccepted"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["InvocationForbidden"];
            404: components["responses"]["AgentOrInvocationNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["InvocationConflict"];
            413: components["responses"]["InvocationTooLarge"];
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
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The number of items to skip.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by, with a leading `-` for descending order. Ties are broken by id, so pages never overlap.
                 * @example -created_at
                 */
                sort?: components["parameters"]["AgentSort"];
                /**
                 * @description Only agents with this status.
                 * @example running
                 */
                status?: components["parameters"]["AgentStatusFilter"];
                /**
                 * @description Only the agent with exactly this name.
                 * @example support-bot
                 */
                name?: components["parameters"]["AgentNameFilter"];
            };
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
                 * @description The agent's id or name.
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
                 * @description A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * @description The agent's id or name.
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
                 * @description A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentUpdate"];
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
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The number of items to skip.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by, with a leading `-` for descending order. Ties are broken by id, so pages never overlap.
                 * @example -created_at
                 */
                sort?: components["parameters"]["DeploymentSort"];
                /**
                 * @description Only deployments in this environment.
                 * @example production
                 */
                environment?: components["parameters"]["EnvironmentFilter"];
                /**
                 * @description Only deployments with this status.
                 * @example active
                 */
                status?: components["parameters"]["DeploymentStatusFilter"];
            };
            header?: never;
            path: {
                /**
                 * @description The agent's id or name.
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
                 * @description Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeploymentRequest"];
            };
        };
        responses: {
            201: components["responses"]["DeploymentCreated"];
            400: components["responses"]["InvalidDeployment"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrMfa"];
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
                 * @description Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description A current one-time code (TOTP, six digits) from the agent's enrolled authenticator. Required only if the agent's security settings demand it for this operation. Each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
                /**
                 * @description The deployment's id.
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
            403: components["responses"]["ForbiddenOrMfa"];
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
            query?: {
                /**
                 * @description The maximum number of entries to return.
                 * @example 100
                 */
                limit?: components["parameters"]["LogLimit"];
                /**
                 * @description The number of items to skip.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description Only entries with exactly this level.
                 * @example info
                 */
                level?: components["parameters"]["LevelFilter"];
                /**
                 * @description Only entries of this request.
                 * @example req_01m6dsg7e0eha8ks12y199e68y
                 */
                request_id?: components["parameters"]["RequestIdFilter"];
                /**
                 * @description Only invocations in this environment. `production` leaves out what invocations in other environments did, and nothing else. Without it, all environments.
                 * @example staging
                 */
                environment?: components["parameters"]["InvocationEnvironmentFilter"];
                /**
                 * @description The start of the range, inclusive.
                 * @example 2026-11-02T06:00:00Z
                 */
                start_time?: components["parameters"]["StartTime"];
                /**
                 * @description The end of the range, exclusive.
                 * @example 2026-11-02T10:00:00Z
                 */
                end_time?: components["parameters"]["EndTime"];
            };
            header?: never;
            path: {
                /**
                 * @description The agent's id or name.
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
            query: {
                /**
                 * @description The metric to return.
                 * @example response_time
                 */
                metric: components["parameters"]["Metric"];
                /**
                 * @description Only invocations in this environment. `production` leaves out what invocations in other environments did, and nothing else. Without it, all environments.
                 * @example staging
                 */
                environment?: components["parameters"]["InvocationEnvironmentFilter"];
                /**
                 * @description The start of the range, inclusive.
                 * @example 2026-11-02T06:00:00Z
                 */
                start_time?: components["parameters"]["StartTime"];
                /**
                 * @description The end of the range, exclusive.
                 * @example 2026-11-02T10:00:00Z
                 */
                end_time?: components["parameters"]["EndTime"];
                /**
                 * @description The bucket length. The range can have at most 1,500 buckets.
                 * @example 1h
                 */
                granularity?: components["parameters"]["GranularityParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The agent's id or name.
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
                 * @description The agent's id or name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemorySearch"];
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
                 * @description The agent's id or name.
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
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The number of items to skip.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by, with a leading `-` for descending order. Ties are broken by id, so pages never overlap.
                 * @example -created_at
                 */
                sort?: components["parameters"]["WebhookSort"];
                /**
                 * @description Only items that are limited to this agent, given by id or name. Items for the whole account are omitted.
                 * @example support-bot
                 */
                agent_id?: components["parameters"]["AgentFilter"];
                /**
                 * @description Only webhooks that receive this event.
                 * @example agent.failed
                 */
                event?: components["parameters"]["EventFilter"];
            };
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
                 * @description Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRequest"];
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
                 * @description The webhook's id.
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
            query?: {
                /**
                 * @description The maximum number of items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The number of items to skip.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by, with a leading `-` for descending order. Keys that were never used come last when sorted by `last_used_at`, in both directions. Ties are broken by id, so pages never overlap.
                 * @example -created_at
                 */
                sort?: components["parameters"]["KeySort"];
                /**
                 * @description Only items that are limited to this agent, given by id or name. Items for the whole account are omitted.
                 * @example support-bot
                 */
                agent_id?: components["parameters"]["AgentFilter"];
            };
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
                 * @description Makes retries safe. Send a new random value, such as a UUID, with each operation, and the same value with its retries. The operation takes effect once, and for 24 hours retries get the stored response with `Idempotency-Replayed: true`. While the first request runs, a retry gets a 409, or the same stream if both requests accept server-sent events. A different body is a 422. Errors are not stored, except as the result of an asynchronous invocation or of an agent that had called a tool: after any other error, the same value runs the request again. The value is scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRequest"];
            };
        };
        responses: {
            201: components["responses"]["ApiKeyCreated"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["AgentOrKeyNotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["ApiKeyConflict"];
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
                 * @description The key's id.
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

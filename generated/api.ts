// Generated from spec/ by npm run generate. Do not edit.

export interface paths {
    "/v1/agents/{agent_id}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The agent's id or its name.
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
         * @description Sends a message to the agent and returns its reply. It runs the configuration that is active in `production`;
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
         * @description Returns the account's agents, newest first unless `sort` says otherwise. A key that is scoped to an agent sees
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
                 * @description The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get an agent
         * @description Returns the agent with its draft configuration, the instructions (the system prompt) included. What answers
         *     invocations is the configuration that `active_deployment_id` froze; before the first production deployment it is the
         *     draft.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description Deletes the agent with its deployments, memory, logs and webhooks, and the keys that are scoped to it. This cannot
         *     be undone. Its name is free again at once. Repeating the request is a 404. Nothing of it can be read any more; much
         *     that it has stored is erased in the background.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         * @description Changes model, temperature and instructions of the draft configuration, and returns the agent; the rest of it is the
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
                 * @description The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * List deployments
         * @description Returns the agent's deployments in all environments, newest first unless `sort` says otherwise. Sorting by
         *     `version` compares the labels as text.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Create a deployment
         * @description Freezes the agent's draft configuration under `version` and makes it active in `environment`, replacing the one
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
                 * @description The agent's id or its name.
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
         * @description Undoes the named deployment: it becomes `rolled_back`, and the one that it replaced becomes `active` again and is
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
                 * @description The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get logs
         * @description Returns what the agent did, newest first: how each invocation went, configuration changes, and webhook deliveries
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
                 * @description The agent's id or its name.
                 * @example support-bot
                 */
                agent_id: components["parameters"]["AgentIdParameter"];
            };
            cookie?: never;
        };
        /**
         * Get metrics
         * @description Returns one metric of the agent's invocations over time. An invocation counts at the time when it was received, as
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
                 * @description The agent's id or its name.
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
         * @description Finds what was said in earlier invocations, best match first. Words match in their inflected and misspelt forms;
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
                 * @description The agent's id or its name.
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
         * @description Deletes everything that the agent remembers, of all users and sessions; with a token, what it remembers of the
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
         * @description Returns the account's webhooks with the state of their last delivery, newest first unless `sort` says otherwise. A
         *     key that is scoped to an agent sees the webhooks of that agent alone.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Registers an address that receives events of one agent, or of every agent of the account. The answer holds the
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
         * @description Removes the webhook and drops its deliveries that are still waiting. Repeating the request is a 404.
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
         * @description Returns the account's keys, without the keys themselves, newest first unless `sort` says otherwise. A key that is
         *     scoped to an agent sees the keys of that agent alone. Revoked keys are not listed; expired ones are.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Creates a key for the account or for one agent. The answer holds the key itself, this once. The new key can have no
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
         * @description Ends the key for good, on every instance within a second. A key may revoke itself. Repeating the request is a 404.
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
         * @description Sent after an invocation that answered, in any of its forms. Delivered at least once and in no particular order:
         *     drop what you have seen by its `id`. A 2xx within 15 seconds is success; otherwise the same bytes are sent again
         *     after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, later where your `Retry-After` asks for it.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description HMAC with SHA-256 of the raw body, keyed with the webhook's secret exactly as it was shown (with `whsec_`), in hex. Compare it in constant time before you parse the body, and answer 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * @description The event's id, the same on each attempt. Standard Webhooks.
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * @description When this attempt was made, in Unix seconds. Refuse what is older than a few minutes. Standard Webhooks.
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * @description `v1,` and HMAC with SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, keyed with the bytes that the part of the secret after `whsec_` encodes. Any Standard Webhooks library verifies it.
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
                /** @description Gone. The webhook is disabled, and nothing more is sent to it. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Received. The body of the answer is ignored. */
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
         * @description Sent after an invocation that did not answer: the model failed, the time-out passed, the caller left, a budget
         *     was used up, or the operator cancelled it. Delivered like `agent.completed`.
         */
        post: {
            parameters: {
                query?: never;
                header: {
                    /**
                     * @description HMAC with SHA-256 of the raw body, keyed with the webhook's secret exactly as it was shown (with `whsec_`), in hex. Compare it in constant time before you parse the body, and answer 401 if it differs.
                     * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
                     */
                    "X-Service-Signature": components["parameters"]["ServiceSignature"];
                    /**
                     * @description The event's id, the same on each attempt. Standard Webhooks.
                     * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
                     */
                    "webhook-id": components["parameters"]["DeliveryId"];
                    /**
                     * @description When this attempt was made, in Unix seconds. Refuse what is older than a few minutes. Standard Webhooks.
                     * @example 1793611801
                     */
                    "webhook-timestamp": components["parameters"]["DeliveryTimestamp"];
                    /**
                     * @description `v1,` and HMAC with SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, keyed with the bytes that the part of the secret after `whsec_` encodes. Any Standard Webhooks library verifies it.
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
                /** @description Gone. The webhook is disabled, and nothing more is sent to it. */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description Received. The body of the answer is ignored. */
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
         * @description An agent's id or its name; both name the same agent everywhere.
         * @example support-bot
         * @example agent_01m3v7me00f8c8623ebffsvy4c
         */
        AgentReference: string;
        /**
         * @description Your own id of the person who speaks. Sessions and memory are kept by it. With a token it is the token's subject, and may be left out; any other is a 400.
         * @example user-2041
         */
        UserId: string;
        /**
         * @description Your own id of the conversation, one for each user: two users with the same id have two sessions. Earlier turns of the session go to the model, oldest first, up to the agent's history limit. Turns of one session never interleave: a second invocation waits for the first.
         * @example chat-77
         */
        SessionId: string;
        /** @description Whose message this is, and of which conversation. Other keys are kept with the invocation and passed to `http/…` agents. */
        InvocationContext: {
            user_id?: components["schemas"]["UserId"];
            session_id?: components["schemas"]["SessionId"];
            /** @description `false` leaves nothing of the message and the answer in the agent's memory, nor in the session: it can follow on what was said before, and what follows does not know of it. An agent that does not remember cannot be made to. */
            remember?: boolean;
        } & {
            [key: string]: unknown;
        };
        /** @description What to tell the agent. */
        InvocationRequest: {
            /** @description What the user says. */
            message: string;
            context?: components["schemas"]["InvocationContext"];
        };
        /**
         * @description The id of one request. It is in the `X-Request-Id` header of the answer, on every log entry that the request caused, and in the events that follow it. Quote it when you ask for help.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        RequestId: string;
        /**
         * @description Tokens read and written by the model, added up.
         * @example 312
         */
        TokenCount: number;
        /**
         * @description Milliseconds from the arrival of the request to the end of the answer.
         * @example 940
         */
        DurationMs: number;
        /** @description The agent's answer and what it took. */
        Invocation: {
            /** @description The agent's reply. */
            response: string;
            request_id: components["schemas"]["RequestId"];
            tokens_used: components["schemas"]["TokenCount"];
            duration_ms: components["schemas"]["DurationMs"];
        };
        /** @description The envelope of a success. */
        InvocationResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["Invocation"];
        };
        /**
         * @description Identifies the event within its stream, in its `id:` line. Opaque: keep the last one that you received, and send it as `Last-Event-ID` to resume the stream after it.
         * @example req_01m6dsg7e0eha8ks12y199e68y.2
         */
        InvocationEventId: string;
        /** @description JSON in its `data:` line. */
        InvocationDelta: {
            /** @description Text to append to what came before. */
            text: string;
        };
        /** @description The next piece of the reply. */
        InvocationDeltaEvent: {
            /**
             * @description The event's name, in its `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "delta";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["InvocationDelta"];
        };
        /** @description JSON in its `data:` line. */
        InvocationToolCall: {
            /**
             * @description Which call of this invocation it is, so that calls that run at the same time can be told apart.
             * @example call_1
             */
            call_id: string;
            /**
             * @description The tool's name, as the model knows it.
             * @example orders_lookup
             */
            name: string;
            /**
             * @description What has happened to the call. A failed one does not end the invocation; the model is told of it. New values may be added.
             * @enum {string}
             */
            status: "started" | "succeeded" | "failed";
            /** @description How long the call took. Not there when it has just started. */
            duration_ms?: components["schemas"]["DurationMs"];
        };
        /** @description The model uses a tool. One such event when a call starts, and one when it has ended. */
        InvocationToolEvent: {
            /**
             * @description The event's name, in its `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "tool";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["InvocationToolCall"];
        };
        /** @description The whole result, as the plain JSON form gives it. The last event of a stream that succeeded. */
        InvocationDoneEvent: {
            /**
             * @description The event's name, in its `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "done";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["Invocation"];
        };
        /**
         * @description What went wrong, for a program. Each code comes with one HTTP status. New codes may be added: treat one that you do not know by its status.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "rate_limited" | "server_error" | "upstream_error" | "unavailable" | "timeout";
        /** @description One field that failed validation. */
        FieldProblem: {
            /** @description Where it stands: a path into the body (`context.user_id`, `events.0`), or the name of a query parameter, path parameter or header. */
            field: string;
            /** @description What is wrong with it, for people. */
            error: string;
        };
        /** @description What went wrong, for a program (`code`) and for a person (`message`). */
        ErrorDetail: {
            code: components["schemas"]["ErrorCode"];
            /** @description A sentence for people. It may change; do not parse it. */
            message: string;
            /** @description Seconds to wait before the next try, equal to the `Retry-After` header. Present whenever that header is. */
            retry_after?: number;
            /** @description One item for each field that failed validation, all of them at once. */
            details?: components["schemas"]["FieldProblem"][];
        };
        /** @description What went wrong after the stream had begun. The last event of a stream that failed. */
        InvocationErrorEvent: {
            /**
             * @description The event's name, in its `event:` line. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            event: "error";
            id?: components["schemas"]["InvocationEventId"];
            data: components["schemas"]["ErrorDetail"];
        };
        /** @description One server-sent event of a streamed invocation, told apart by `event`, with an `id` to resume the stream after it. Zero or more `delta` and `tool`, then exactly one `done` or `error`, then the stream ends. Events of other names may be added; ignore those that you do not know. */
        InvocationEvent: components["schemas"]["InvocationDeltaEvent"] | components["schemas"]["InvocationToolEvent"] | components["schemas"]["InvocationDoneEvent"] | components["schemas"]["InvocationErrorEvent"];
        /** @description An invocation that was stored and will run. */
        AcceptedInvocation: {
            request_id: components["schemas"]["RequestId"];
        };
        /** @description The envelope of a success. */
        AcceptedInvocationResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["AcceptedInvocation"];
        };
        /** @description The body of every answer that is not a success. */
        ErrorResponse: {
            /**
             * @description Always `false`.
             * @constant
             */
            success: false;
            error: components["schemas"]["ErrorDetail"];
        };
        /**
         * @description An agent's name, unique within the account. Lower-case letters, digits and hyphens, starting with a letter.
         * @example support-bot
         */
        AgentName: string;
        /**
         * @description An agent's id. Ids sort by the time at which they were made.
         * @example agent_01m3v7me00f8c8623ebffsvy4c
         */
        AgentId: string;
        /**
         * @description Whether the agent takes invocations. `stopped` is set by the operator. New values may be added: treat one that you do not know as not running.
         * @enum {string}
         */
        AgentStatus: "running" | "stopped";
        /**
         * Format: date-time
         * @description A moment in UTC with milliseconds, as RFC 3339 writes it.
         * @example 2026-11-02T09:30:00.000Z
         */
        Timestamp: string;
        /** @description An agent as lists show it. */
        AgentSummary: {
            id: components["schemas"]["AgentId"];
            name: components["schemas"]["AgentName"];
            status: components["schemas"]["AgentStatus"];
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description Where this page lies in the whole list. */
        Pagination: {
            /** @description The most items that this page could hold. */
            limit: number;
            /** @description How many items come before this page. */
            offset: number;
            /**
             * Format: int64
             * @description How many items match, on all pages together. Exact at the moment of the request.
             */
            total: number;
            /** @description Whether a further page holds items. */
            has_more: boolean;
        };
        /** @description The envelope of a list. */
        AgentList: {
            /** @description The items of this page. */
            data: components["schemas"]["AgentSummary"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description The model that answers, as `provider/name`. Providers: `openai`, `anthropic`, `local` (an OpenAI-compatible server), `http` (your own agent behind an endpoint) and `builtin` (`builtin/echo` needs nothing).
         * @example anthropic/claude-sonnet-4-5
         */
        ModelName: string;
        /**
         * @description How freely the model varies its answers, from 0 (as little as possible) to 2.
         * @example 0.3
         */
        Temperature: number;
        /**
         * @description What the model is told before the conversation, its system prompt. Empty if it is told nothing.
         * @example Answer questions about orders. Say so if you do not know.
         */
        Instructions: string;
        /**
         * @description Everything else that a deployment freezes, under the names of the manifest and as far as it is set: `timeout`, `history`, `endpoint`, `tools`, `fallbacks`, `output` and `remember`; and `toolDefinitions`, what was recorded of the tools of MCP servers when the manifest was applied. The operator sets it. Secrets are references, `${env:NAME}` or `${file:path}`.
         * @example {
         *       "timeout": "60s",
         *       "history": 20
         *     }
         */
        DeployedSettings: {
            [key: string]: unknown;
        };
        /**
         * @description What holds for the agent whatever is deployed, under the names of the manifest and as far as it is set: `budget`, `auth`, `security`, `mfa` and `roles`. The operator sets it, and a rollback does not restore an earlier one. Secrets are references.
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
         * @description A deployment's id.
         * @example dep_01m6dqs9m0fsw90fq1accfsmnf
         */
        DeploymentId: string;
        /** @description An agent with its draft configuration, which the next deployment will freeze. */
        Agent: {
            id: components["schemas"]["AgentId"];
            name: components["schemas"]["AgentName"];
            status: components["schemas"]["AgentStatus"];
            model: components["schemas"]["ModelName"];
            temperature: components["schemas"]["Temperature"];
            instructions: components["schemas"]["Instructions"];
            settings: components["schemas"]["DeployedSettings"];
            policy: components["schemas"]["AgentPolicy"];
            /** @description The deployment that is active in `production`, whose configuration answers invocations; null before the first, when the draft answers. */
            active_deployment_id: components["schemas"]["DeploymentId"] | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description The envelope of a success. */
        AgentResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["Agent"];
        };
        /** @description The agent that is gone. */
        AgentDeletion: {
            id: components["schemas"]["AgentId"];
            /**
             * @description Always `true`.
             * @constant
             */
            deleted: true;
        };
        /** @description The envelope of a success. */
        AgentDeletionResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["AgentDeletion"];
        };
        /** @description The fields of the draft configuration to change; those left out stay as they are. */
        AgentUpdate: {
            model?: components["schemas"]["ModelName"];
            temperature?: components["schemas"]["Temperature"];
            instructions?: components["schemas"]["Instructions"];
        };
        /**
         * @description Where a deployment is active. Invocations run what is active in `production`.
         * @example production
         */
        Environment: string;
        /**
         * @description Your label of the version, unique within the agent and environment.
         * @example 1.4.0
         */
        VersionLabel: string;
        /**
         * @description `active`: what runs in its environment. `superseded`: a later deployment replaced it. `rolled_back`: it was undone. New values may be added.
         * @enum {string}
         */
        DeploymentStatus: "active" | "superseded" | "rolled_back";
        /**
         * @description The id of an API key. It is not a secret, and it cannot be used to authenticate.
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
            temperature: components["schemas"]["Temperature"];
            instructions: components["schemas"]["Instructions"];
            settings: components["schemas"]["DeployedSettings"];
            created_at: components["schemas"]["Timestamp"];
            /** @description When it last became active, by its creation or by a rollback of its successor. */
            activated_at: components["schemas"]["Timestamp"];
            /** @description The key that made it; null if the caller was no key (a token of the agent) or the key's record is gone. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description The deployment that was active before it, and that a rollback brings back; null for the first one. */
            replaced_deployment_id: components["schemas"]["DeploymentId"] | null;
        };
        /** @description The envelope of a list. */
        DeploymentList: {
            /** @description The items of this page. */
            data: components["schemas"]["Deployment"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Where to activate the draft configuration, and under which label. */
        DeploymentRequest: {
            environment: components["schemas"]["Environment"];
            version: components["schemas"]["VersionLabel"];
        };
        /** @description The envelope of a success. */
        DeploymentResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["Deployment"];
        };
        /**
         * @description How much the entry matters.
         * @enum {string}
         */
        LogLevel: "debug" | "info" | "warn" | "error";
        /**
         * Format: date-time
         * @description A moment as RFC 3339 writes it, from the year 1970 on, with any offset; answers are in UTC. The fraction of a second is optional; what is finer than a millisecond is cut off. In a query, `+` is written as `%2B`.
         * @example 2026-11-02T00:00:00Z
         * @example 2026-11-02T01:00:00+01:00
         */
        TimestampInput: string;
        /**
         * @description The id of a log entry.
         * @example log_01m6dsg8d8ea0bnnqyjjjny65j
         */
        LogId: string;
        /** @description What belongs to it, for programs. Further keys depend on what happened, such as `duration_ms` or `attempt`. */
        LogMetadata: {
            request_id: components["schemas"]["RequestId"];
        } & {
            [key: string]: unknown;
        };
        /** @description One line of an agent's log. */
        LogEntry: {
            id: components["schemas"]["LogId"];
            timestamp: components["schemas"]["Timestamp"];
            level: components["schemas"]["LogLevel"];
            /** @description What happened, for people. Never holds a secret. */
            message: string;
            metadata: components["schemas"]["LogMetadata"];
        };
        /** @description The envelope of a list. */
        LogList: {
            /** @description The items of this page. */
            data: components["schemas"]["LogEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description `response_time`: mean time of an invocation. `throughput`: invocations per minute. `error_rate`: the share of invocations that failed. `token_usage`: the tokens that invocations used, also those that failed, as far as their models told.
         * @enum {string}
         */
        MetricName: "response_time" | "throughput" | "error_rate" | "token_usage";
        /**
         * @description The length of a bucket. Buckets align to the epoch in UTC, so `1d` begins at midnight UTC.
         * @default 1h
         * @enum {string}
         */
        Granularity: "1m" | "5m" | "1h" | "1d";
        /**
         * @description The unit of a value. `response_time` is in `ms`, `throughput` in `requests_per_minute`, `error_rate` in `percent` (0 to 100), `token_usage` in `tokens`.
         * @enum {string}
         */
        MetricUnit: "ms" | "requests_per_minute" | "percent" | "tokens";
        /** @description The metric in one bucket. */
        MetricValue: {
            /** @description The start of the bucket. */
            timestamp: components["schemas"]["Timestamp"];
            /** @description The value in the given unit. */
            value: number;
            unit: components["schemas"]["MetricUnit"];
        };
        /** @description One metric over time. */
        MetricSeries: {
            metric: components["schemas"]["MetricName"];
            /** @description One value a bucket, oldest first. */
            values: components["schemas"]["MetricValue"][];
        };
        /** @description The envelope of a success. */
        MetricSeriesResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["MetricSeries"];
        };
        /** @description Only entries of this user, of this session, or of both. */
        MemoryFilter: {
            user_id?: components["schemas"]["UserId"];
            session_id?: components["schemas"]["SessionId"];
        };
        /** @description What to look for. */
        MemorySearch: {
            /** @description Words to find. Inflected and misspelt forms match too. */
            query: string;
            /**
             * @description The most results to return.
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
        /** @description Where a remembered turn comes from. */
        MemoryMetadata: {
            /** @description The session of the invocation; null if it had none. */
            session_id: components["schemas"]["SessionId"] | null;
            /** @description The user of the invocation; null if it named none. */
            user_id: components["schemas"]["UserId"] | null;
            request_id: components["schemas"]["RequestId"];
        };
        /** @description One remembered turn that fits the query. */
        MemoryMatch: {
            id: components["schemas"]["MemoryId"];
            /** @description What was said. */
            content: string;
            /**
             * @description Who said it. New values may be added.
             * @enum {string}
             */
            role: "user" | "agent";
            /** @description How well it fits, from 0 to 1. Comparable within one answer, not between queries. */
            score: number;
            metadata: components["schemas"]["MemoryMetadata"];
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description The envelope of a list. */
        MemoryMatchList: {
            /** @description The items of this page. */
            data: components["schemas"]["MemoryMatch"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description What was forgotten. */
        MemoryClearing: {
            /**
             * Format: int64
             * @description How many entries were deleted.
             */
            cleared: number;
        };
        /** @description The envelope of a success. */
        MemoryClearingResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["MemoryClearing"];
        };
        /**
         * @description `agent.completed` follows an invocation that answered, `agent.failed` one that did not.
         * @enum {string}
         */
        EventType: "agent.completed" | "agent.failed";
        /**
         * @description A webhook's id.
         * @example wh_01m3y21g40em7a3s4w04zg1hhc
         */
        WebhookId: string;
        /**
         * Format: uri
         * @description The address that receives the events. It must be https, and it must not resolve to a private, loopback, link-local or otherwise special address. An operator can allow http and private addresses for development.
         * @example https://hooks.acme.example/agents
         */
        WebhookUrl: string;
        /** @description Which events are delivered. New values may be added. */
        DeliveredEvents: ("agent.completed" | "agent.failed")[];
        /**
         * @description `disabled` after the receiver answered 410, or failed for five days without a success; delete the webhook and create it anew to go on. New values may be added.
         * @enum {string}
         */
        WebhookStatus: "enabled" | "disabled";
        /** @description How a delivery went so far, as its last attempt left it. */
        WebhookDelivery: {
            /**
             * @description `succeeded`: answered with 2xx. `pending`: an attempt failed, another will follow. `failed`: given up after the last attempt. New values may be added.
             * @enum {string}
             */
            status: "pending" | "succeeded" | "failed";
            /** @description Attempts so far. */
            attempts: number;
            /** @description When the last attempt was made. */
            at: components["schemas"]["Timestamp"];
            /** @description The HTTP status that the receiver answered the last attempt with; null if it did not answer. */
            response_code: number | null;
            /** @description Why the delivery has not succeeded, for people; null if it has. */
            error: string | null;
            /** @description When the next attempt is due; null if there is none: the delivery has succeeded or was given up, or an attempt is running now. */
            next_attempt_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description An address that receives events. */
        Webhook: {
            id: components["schemas"]["WebhookId"];
            /** @description The agent that it is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["DeliveredEvents"];
            status: components["schemas"]["WebhookStatus"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The delivery that was tried last; null before the first. */
            last_delivery: components["schemas"]["WebhookDelivery"] | null;
        };
        /** @description The envelope of a list. */
        WebhookList: {
            /** @description The items of this page. */
            data: components["schemas"]["Webhook"][];
            pagination: components["schemas"]["Pagination"];
        };
        /** @description Which events are delivered. */
        EventTypes: components["schemas"]["EventType"][];
        /** @description Where to send which events. */
        WebhookRequest: {
            /** @description The agent, by id or name, whose events are sent; null or left out: every agent of the account, also those to come. A key that is scoped to an agent makes webhooks of that agent alone. */
            agent_id?: components["schemas"]["AgentReference"] | null;
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["EventTypes"];
        };
        /** @description A new webhook with its secret, which is shown this once. */
        CreatedWebhook: {
            id: components["schemas"]["WebhookId"];
            /** @description The agent that it is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            url: components["schemas"]["WebhookUrl"];
            events: components["schemas"]["DeliveredEvents"];
            status: components["schemas"]["WebhookStatus"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The delivery that was tried last; always null here, since nothing was delivered yet. */
            last_delivery: components["schemas"]["WebhookDelivery"] | null;
            /** @description The key of the signatures, `whsec_` and 32 random bytes in base64. Keep it where the receiver can read it: no later answer holds it. */
            secret: string;
        };
        /** @description The envelope of a success. */
        CreatedWebhookResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["CreatedWebhook"];
        };
        /**
         * @description An event's id. It is the same on every delivery attempt, so receivers can drop what they have seen.
         * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
         */
        EventId: string;
        /** @description The invocation's result. The message that was sent is not repeated. */
        AgentCompletion: {
            agent_id: components["schemas"]["AgentId"];
            request_id: components["schemas"]["RequestId"];
            /** @description The agent's reply. */
            response: string;
            tokens_used: components["schemas"]["TokenCount"];
            duration_ms: components["schemas"]["DurationMs"];
        };
        /** @description An invocation answered. */
        AgentCompletedEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description The event's name. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.completed";
            created_at: components["schemas"]["Timestamp"];
            data: components["schemas"]["AgentCompletion"];
        };
        /** @description Why an invocation failed. */
        InvocationFailure: {
            /**
             * @description The error code that the caller got, or would have got; `cancelled` if the caller had left before the answer, or the operator cancelled the invocation. New values may be added.
             * @enum {string}
             */
            code: "upstream_error" | "unavailable" | "timeout" | "rate_limited" | "server_error" | "cancelled";
            /** @description A sentence for people. */
            message: string;
        };
        /** @description Which invocation failed, and why. */
        AgentFailure: {
            agent_id: components["schemas"]["AgentId"];
            request_id: components["schemas"]["RequestId"];
            error: components["schemas"]["InvocationFailure"];
        };
        /** @description An invocation did not answer. */
        AgentFailedEvent: {
            id: components["schemas"]["EventId"];
            /**
             * @description The event's name. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "agent.failed";
            created_at: components["schemas"]["Timestamp"];
            data: components["schemas"]["AgentFailure"];
        };
        /** @description An event as it is delivered to a webhook, told apart by `type`. */
        WebhookEvent: components["schemas"]["AgentCompletedEvent"] | components["schemas"]["AgentFailedEvent"];
        /** @description The webhook that is gone. */
        WebhookDeletion: {
            id: components["schemas"]["WebhookId"];
            /**
             * @description Always `true`.
             * @constant
             */
            deleted: true;
        };
        /** @description The envelope of a success. */
        WebhookDeletionResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["WebhookDeletion"];
        };
        /**
         * @description A name for people, such as the program that uses the key. It need not be unique.
         * @example Help desk backend
         */
        KeyName: string;
        /** @description What the key may do. New values may be added. */
        GrantedPermissions: ("read" | "write" | "delete" | "manage")[];
        /**
         * @description The beginning and the last four characters, enough to recognise a key by.
         * @example ahs_…kW3d
         */
        KeyPreview: string;
        /** @description An API key without its secret. */
        ApiKey: {
            id: components["schemas"]["KeyId"];
            /** @description The agent that it is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            name: components["schemas"]["KeyName"];
            permissions: components["schemas"]["GrantedPermissions"];
            preview: components["schemas"]["KeyPreview"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The id of the key that created this one; null if the operator made it. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description When it was last used, exact to about a minute; null if it never was. */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /** @description When the key stops working; null, never. */
            expires_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description The envelope of a list. */
        ApiKeyList: {
            /** @description The items of this page. */
            data: components["schemas"]["ApiKey"][];
            pagination: components["schemas"]["Pagination"];
        };
        /**
         * @description Text on one line, of characters that can be seen: no control characters, no characters that change the direction of writing, none without width, no line separators.
         * @example Help desk backend
         */
        PrintableText: string;
        /**
         * @description `read`: see agents, deployments, logs, metrics, memory and webhooks. `write`: invoke, update, deploy, roll back, create webhooks. `delete`: delete agents, memory and webhooks. `manage`: create, list and revoke keys. None contains another.
         * @enum {string}
         */
        Permission: "read" | "write" | "delete" | "manage";
        /** @description What the key may do. A key can grant only permissions that it has itself. */
        Permissions: components["schemas"]["Permission"][];
        /** @description What the new key may do. */
        ApiKeyRequest: {
            /** @description The agent, by id or name, that the key is limited to; null or left out: the whole account. A key that is scoped to an agent makes keys for that agent alone. */
            agent_id?: components["schemas"]["AgentReference"] | null;
            /** @description A name for people, such as the program that uses the key. It need not be unique. */
            name: components["schemas"]["PrintableText"];
            permissions: components["schemas"]["Permissions"];
            /** @description When the key stops working, a moment in the future; null, never. Left out, it ends with the key that creates it. A key that has an end creates no key that lasts longer (400). */
            expires_at?: components["schemas"]["TimestampInput"] | null;
        };
        /** @description A new API key with its secret, which is shown this once. */
        CreatedApiKey: {
            id: components["schemas"]["KeyId"];
            /** @description The agent that it is limited to; null for the whole account. */
            agent_id: components["schemas"]["AgentId"] | null;
            name: components["schemas"]["KeyName"];
            permissions: components["schemas"]["GrantedPermissions"];
            preview: components["schemas"]["KeyPreview"];
            created_at: components["schemas"]["Timestamp"];
            /** @description The id of the key that created this one; null if the operator made it. */
            created_by: components["schemas"]["KeyId"] | null;
            /** @description When it was last used; always null here, since the key is new. */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /** @description When the key stops working; null, never. */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description The key itself, for the `Authorization` header. Keep it secret and store it now: no later answer holds it. */
            key: string;
        };
        /** @description The envelope of a success. */
        CreatedApiKeyResponse: {
            /**
             * @description Always `true`.
             * @constant
             */
            success: true;
            data: components["schemas"]["CreatedApiKey"];
        };
        /** @description The key that no longer works. */
        ApiKeyRevocation: {
            id: components["schemas"]["KeyId"];
            /**
             * @description Always `true`.
             * @constant
             */
            revoked: true;
        };
        /** @description The envelope of a success. */
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
        /** @description The agent answered. */
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
        /** @description The invocation was stored and will run, also if the process is killed now. */
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
        /** @description A parameter, header or body field is missing or wrong; `details` names each. */
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
        /** @description The key lacks the permission, or the agent's security settings refuse the request. */
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
        /** @description There is no such agent, or the key may not see it. */
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
        /** @description The path exists, but not with this method. */
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
        /** @description The agent is stopped, a request with the same Idempotency-Key still runs, the operator cancelled the asynchronous invocation that this request repeats, or nothing is known of the stream that `Last-Event-ID` names. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The body is larger than 1 MiB. */
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
        /** @description The Idempotency-Key was used with another body. */
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
        /** @description Too many requests of the account or to the agent, too many of its invocations at a time, too many failed authentications from the address, or a budget of tokens that is used up. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description A fault of the service. */
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
        /** @description The model provider, the agent's own endpoint or an MCP server failed or answered nonsense, also after two retries. The message says which. */
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
        /** @description The model provider or the agent's own endpoint limits its rate, or the service cannot take the request now. */
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
        /** @description The agent took longer than its time-out (60 seconds unless the operator set another). */
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
        /** @description Too many requests of the account or to the agent, too many of its invocations at a time, or too many failed authentications from the address. Takes nothing from the bucket. */
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
        /** @description The service cannot take the request now. */
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
        /** @description The agent and all that belonged to it are gone. */
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
        /** @description The key lacks the permission, or the agent's security settings refuse the request or ask for a one-time code. */
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
        /** @description A field is missing or wrong, or the model's provider is unknown or not configured; `details` names each. */
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
        /** @description The deployment, active now. */
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
        /** @description The version label is taken, or a request with the same Idempotency-Key still runs. */
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
        /** @description The deployment that is active now. */
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
        /** @description There is no such agent or deployment, or the key may not see it. */
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
        /** @description The deployment is not active or replaced nothing, or a request with the same Idempotency-Key still runs. */
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
        /** @description The series. */
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
        /** @description The best matches, best first. `offset` is always 0, and `total` is the number of matches that were compared, at most 1,000. Their contents are at most 4 MB together: fewer are returned where they would be more, and the first in any case. */
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
        /** @description The memory is empty. */
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
        /** @description The webhook with its secret, shown this once. */
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
        /** @description The account has as many webhooks as its tier allows, or a request with the same Idempotency-Key still runs. */
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
        /** @description The webhook is gone. A delivery that is under way may still arrive. */
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
        /** @description There is no such webhook, or the key may not see it. */
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
        /** @description The key record with its key, shown this once. */
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
        /** @description A request with the same Idempotency-Key still runs. */
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
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The key no longer works, on any instance, within a second. */
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
        /** @description There is no such key, it is revoked already, or the caller may not see it. */
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
         * @description The agent's id or its name.
         * @example support-bot
         */
        AgentIdParameter: components["schemas"]["AgentReference"];
        /**
         * @description Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
         * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
         */
        IdempotencyKey: string;
        /**
         * @description `respond-async` asks for 202 at once; the result arrives by webhook. `wait=30` lets a repeat of the request with its `Idempotency-Key` wait for that result, for as many seconds and 60 at most; if there is none by then, it is a 202 again. `grace=0` says that you will not come back if you leave a stream with an `Idempotency-Key`: its invocation is stopped then, instead of after its grace time. Preferences that the service does not know are ignored, as RFC 7240 asks.
         * @example respond-async
         */
        Prefer: string;
        /**
         * @description Resumes a stream after a lost connection: the id of the last event that you received, or `0` for the beginning. Repeat the request with the same `Idempotency-Key`, the same body and `Accept: text/event-stream`, at any instance, to get the events that come after it. It never runs the agent: where nothing is known of that stream any more, the answer is a 409, and without `Idempotency-Key` or `Accept: text/event-stream` it is a 400.
         * @example req_01m6dsg7e0eha8ks12y199e68y.2
         */
        LastEventId: string;
        /**
         * @description The most items to return.
         * @example 10
         */
        Limit: number;
        /**
         * @description How many items to pass over, counted from the first.
         * @example 0
         */
        Offset: number;
        /**
         * @description The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
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
         * @description A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once.
         * @example 492039
         */
        MfaCode: string;
        /**
         * @description The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
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
         * @description The most entries to return.
         * @example 100
         */
        LogLimit: number;
        /**
         * @description Only entries of exactly this level.
         * @example info
         */
        LevelFilter: components["schemas"]["LogLevel"];
        /**
         * @description Only entries that this request caused.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        RequestIdFilter: components["schemas"]["RequestId"];
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
         * @description Which metric.
         * @example response_time
         */
        Metric: components["schemas"]["MetricName"];
        /**
         * @description The length of a bucket. The range may hold at most 1,500 buckets.
         * @example 1h
         */
        GranularityParameter: components["schemas"]["Granularity"];
        /**
         * @description The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
         * @example -created_at
         */
        WebhookSort: "created_at" | "-created_at";
        /**
         * @description Only those limited to this agent, by id or name. Those of the whole account are left out.
         * @example support-bot
         */
        AgentFilter: components["schemas"]["AgentReference"];
        /**
         * @description Only webhooks that receive this event.
         * @example agent.failed
         */
        EventFilter: components["schemas"]["EventType"];
        /**
         * @description HMAC with SHA-256 of the raw body, keyed with the webhook's secret exactly as it was shown (with `whsec_`), in hex. Compare it in constant time before you parse the body, and answer 401 if it differs.
         * @example 88a1d29e7bad01b5c5d9a1b8b2a8bcf2be93a4d7f06e6bf7a0c6e7f3cb0b8d1e
         */
        ServiceSignature: string;
        /**
         * @description The event's id, the same on each attempt. Standard Webhooks.
         * @example evt_01m6dsg8d8efvvpyt3bc2k45jh
         */
        DeliveryId: components["schemas"]["EventId"];
        /**
         * @description When this attempt was made, in Unix seconds. Refuse what is older than a few minutes. Standard Webhooks.
         * @example 1793611801
         */
        DeliveryTimestamp: number;
        /**
         * @description `v1,` and HMAC with SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64, keyed with the bytes that the part of the secret after `whsec_` encodes. Any Standard Webhooks library verifies it.
         * @example v1,SZ1mBCpGZ0zJ6qGMmBqL2kY1kD4YfT3rjVQ2nqYk9m0=
         */
        DeliverySignature: string;
        /**
         * @description The webhook's id.
         * @example wh_01m3y21g40em7a3s4w04zg1hhc
         */
        WebhookIdParameter: components["schemas"]["WebhookId"];
        /**
         * @description The field to sort by; a leading `-` sorts in descending order. Keys that were never used come last when sorted by `last_used_at`, in both directions. Ties are broken by id, so pages never overlap.
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
         * @description The id of this request, on every answer. Log entries and events that it caused carry the same id.
         * @example req_01m6dsg7e0eha8ks12y199e68y
         */
        "X-Request-Id": components["schemas"]["RequestId"];
        /**
         * @description How many requests the account's bucket holds when it is full, the burst of its tier.
         * @example 2000
         */
        "X-RateLimit-Limit": number;
        /**
         * @description How many requests are left in the bucket now.
         * @example 1993
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When the bucket is full again if nothing more is sent, in Unix seconds.
         * @example 1793611801
         */
        "X-RateLimit-Reset": number;
        /**
         * @description `true` when this is the stored answer to an earlier request with the same `Idempotency-Key`; otherwise absent.
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * @description `respond-async`, when the preference was honoured.
         * @example respond-async
         */
        "Preference-Applied": "respond-async";
        /**
         * @description How to authenticate, as RFC 6750 writes it.
         * @example Bearer realm="agent-hosting"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that this path has.
         * @example GET, HEAD, OPTIONS, PATCH, DELETE
         */
        Allow: string;
        /**
         * @description Seconds to wait before the next try, equal to `error.retry_after`.
         * @example 12
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type AgentReference = components['schemas']['AgentReference'];
export type UserId = components['schemas']['UserId'];
export type SessionId = components['schemas']['SessionId'];
export type InvocationContext = components['schemas']['InvocationContext'];
export type InvocationRequest = components['schemas']['InvocationRequest'];
export type RequestId = components['schemas']['RequestId'];
export type TokenCount = components['schemas']['TokenCount'];
export type DurationMs = components['schemas']['DurationMs'];
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
export type Timestamp = components['schemas']['Timestamp'];
export type AgentSummary = components['schemas']['AgentSummary'];
export type Pagination = components['schemas']['Pagination'];
export type AgentList = components['schemas']['AgentList'];
export type ModelName = components['schemas']['ModelName'];
export type Temperature = components['schemas']['Temperature'];
export type Instructions = components['schemas']['Instructions'];
export type DeployedSettings = components['schemas']['DeployedSettings'];
export type AgentPolicy = components['schemas']['AgentPolicy'];
export type DeploymentId = components['schemas']['DeploymentId'];
export type Agent = components['schemas']['Agent'];
export type AgentResponse = components['schemas']['AgentResponse'];
export type AgentDeletion = components['schemas']['AgentDeletion'];
export type AgentDeletionResponse = components['schemas']['AgentDeletionResponse'];
export type AgentUpdate = components['schemas']['AgentUpdate'];
export type Environment = components['schemas']['Environment'];
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
export type ApiKeyRequest = components['schemas']['ApiKeyRequest'];
export type CreatedApiKey = components['schemas']['CreatedApiKey'];
export type CreatedApiKeyResponse = components['schemas']['CreatedApiKeyResponse'];
export type ApiKeyRevocation = components['schemas']['ApiKeyRevocation'];
export type ApiKeyRevocationResponse = components['schemas']['ApiKeyRevocationResponse'];
export type ResponseInvocationAnswered = components['responses']['InvocationAnswered'];
export type ResponseInvocationAccepted = components['responses']['InvocationAccepted'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseAgentNotFound = components['responses']['AgentNotFound'];
export type ResponseMethodNotAllowed = components['responses']['MethodNotAllowed'];
export type ResponseInvocationConflict = components['responses']['InvocationConflict'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseIdempotencyMismatch = components['responses']['IdempotencyMismatch'];
export type ResponseInvocationRateLimited = components['responses']['InvocationRateLimited'];
export type ResponseServerError = components['responses']['ServerError'];
export type ResponseUpstreamError = components['responses']['UpstreamError'];
export type ResponseInvocationUnavailable = components['responses']['InvocationUnavailable'];
export type ResponseTimeout = components['responses']['Timeout'];
export type ResponseAgentsListed = components['responses']['AgentsListed'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseAgentReturned = components['responses']['AgentReturned'];
export type ResponseAgentDeleted = components['responses']['AgentDeleted'];
export type ResponseForbiddenOrMfa = components['responses']['ForbiddenOrMfa'];
export type ResponseInvalidConfiguration = components['responses']['InvalidConfiguration'];
export type ResponseDeploymentsListed = components['responses']['DeploymentsListed'];
export type ResponseDeploymentCreated = components['responses']['DeploymentCreated'];
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
export type ResponseStillRunning = components['responses']['StillRunning'];
export type ResponseApiKeyRevoked = components['responses']['ApiKeyRevoked'];
export type ResponseKeyNotFound = components['responses']['KeyNotFound'];
export type ParameterAgentIdParameter = components['parameters']['AgentIdParameter'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterPrefer = components['parameters']['Prefer'];
export type ParameterLastEventId = components['parameters']['LastEventId'];
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
                 * @description Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `respond-async` asks for 202 at once; the result arrives by webhook. `wait=30` lets a repeat of the request with its `Idempotency-Key` wait for that result, for as many seconds and 60 at most; if there is none by then, it is a 202 again. `grace=0` says that you will not come back if you leave a stream with an `Idempotency-Key`: its invocation is stopped then, instead of after its grace time. Preferences that the service does not know are ignored, as RFC 7240 asks.
                 * @example respond-async
                 */
                Prefer?: components["parameters"]["Prefer"];
                /**
                 * @description Resumes a stream after a lost connection: the id of the last event that you received, or `0` for the beginning. Repeat the request with the same `Idempotency-Key`, the same body and `Accept: text/event-stream`, at any instance, to get the events that come after it. It never runs the agent: where nothing is known of that stream any more, the answer is a 409, and without `Idempotency-Key` or `Accept: text/event-stream` it is a 400.
                 * @example req_01m6dsg7e0eha8ks12y199e68y.2
                 */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /**
                 * @description The agent's id or its name.
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
            query?: {
                /**
                 * @description The most items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to pass over, counted from the first.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
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
                 * @description The agent's id or its name.
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
                 * @description A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * @description The agent's id or its name.
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
                 * @description A current one-time code (TOTP, six digits) of the agent's enrolled authenticator. Needed only where the agent's security settings demand it for this operation; each code works once.
                 * @example 492039
                 */
                "X-MFA-Code"?: components["parameters"]["MfaCode"];
            };
            path: {
                /**
                 * @description The agent's id or its name.
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
                 * @description The most items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to pass over, counted from the first.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
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
                 * @description The agent's id or its name.
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
                 * @description Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The agent's id or its name.
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
                 * @description Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The agent's id or its name.
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
            query?: {
                /**
                 * @description The most entries to return.
                 * @example 100
                 */
                limit?: components["parameters"]["LogLimit"];
                /**
                 * @description How many items to pass over, counted from the first.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description Only entries of exactly this level.
                 * @example info
                 */
                level?: components["parameters"]["LevelFilter"];
                /**
                 * @description Only entries that this request caused.
                 * @example req_01m6dsg7e0eha8ks12y199e68y
                 */
                request_id?: components["parameters"]["RequestIdFilter"];
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
                 * @description The agent's id or its name.
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
                 * @description Which metric.
                 * @example response_time
                 */
                metric: components["parameters"]["Metric"];
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
                 * @description The length of a bucket. The range may hold at most 1,500 buckets.
                 * @example 1h
                 */
                granularity?: components["parameters"]["GranularityParameter"];
            };
            header?: never;
            path: {
                /**
                 * @description The agent's id or its name.
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
                 * @description The agent's id or its name.
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
                 * @description The agent's id or its name.
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
                 * @description The most items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to pass over, counted from the first.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by; a leading `-` sorts in descending order. Ties are broken by id, so pages never overlap.
                 * @example -created_at
                 */
                sort?: components["parameters"]["WebhookSort"];
                /**
                 * @description Only those limited to this agent, by id or name. Those of the whole account are left out.
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
                 * @description Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
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
                 * @description The most items to return.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description How many items to pass over, counted from the first.
                 * @example 0
                 */
                offset?: components["parameters"]["Offset"];
                /**
                 * @description The field to sort by; a leading `-` sorts in descending order. Keys that were never used come last when sorted by `last_used_at`, in both directions. Ties are broken by id, so pages never overlap.
                 * @example -created_at
                 */
                sort?: components["parameters"]["KeySort"];
                /**
                 * @description Only those limited to this agent, by id or name. Those of the whole account are left out.
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
                 * @description Makes a retry safe. Choose a new random value (such as a UUID) for each thing that you want to happen once, and send the same value with each retry: the effect happens once, and the stored answer is replayed for 24 hours with `Idempotency-Replayed: true`. While the first request runs, a repeat is a 409, or its stream if both accept server-sent events; with another body it is a 422. Errors are not stored: after one, the same key tries anew. Scoped to your API key, the method and the path.
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

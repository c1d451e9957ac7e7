// Generated from spec/ by npm run generate. Do not edit.

export interface components {
    schemas: {
        /**
         * AgentManifest
         * @description The definition of an agent. Applying the manifest creates the agent, or updates the existing agent with that name.
         * @example {
         *       "name": "support-bot",
         *       "model": "anthropic/claude-sonnet-4-5",
         *       "temperature": 0.3,
         *       "instructions": "You answer questions about orders, briefly and kindly.",
         *       "timeout": "60s",
         *       "history": 20,
         *       "auth": {
         *         "type": "jwt",
         *         "secret": "${env:SUPPORT_BOT_JWT_SECRET}",
         *         "roles": [
         *           "viewer"
         *         ]
         *       },
         *       "security": {
         *         "ipWhitelist": {
         *           "enabled": true,
         *           "addresses": [
         *             "203.0.113.0/24",
         *             "2001:db8::/32"
         *           ]
         *         },
         *         "enforceHttps": true,
         *         "hsts": {
         *           "enabled": true,
         *           "maxAge": 31536000
         *         },
         *         "rateLimit": {
         *           "enabled": true,
         *           "requests": 120,
         *           "window": "1m"
         *         }
         *       },
         *       "mfa": {
         *         "enabled": true,
         *         "operations": [
         *           "delete"
         *         ]
         *       }
         *     }
         */
        AgentManifest: {
            name: components["schemas"]["AgentName"];
            model: components["schemas"]["ModelName"];
            /** @description The randomness of the model, from 0 (as little as possible) to 2. If it is not set, none is sent, and the model uses its own default. */
            temperature?: components["schemas"]["Temperature"];
            /** @description How many tokens the model may generate per call. A reply that reaches the limit is cut, with the `finish_reason` `length`. By default the provider decides; Claude models get 16,384. */
            maxOutputTokens?: number;
            /**
             * @description How much a reasoning model thinks before it answers. A provider that cannot set this ignores it, with a log entry. By default the provider decides.
             * @enum {string}
             */
            reasoning?: "none" | "low" | "medium" | "high";
            /** @default  */
            instructions: components["schemas"]["Instructions"];
            /**
             * @description How long an invocation may take before it fails with `timeout`, from 1ms to 24h. A plain or streamed invocation takes at most 10 minutes, whatever is set here.
             * @default 60s
             */
            timeout: components["schemas"]["Duration"];
            /**
             * @description The number of earlier turns of the session that the model receives; 0 for none.
             * @default 20
             */
            history: number;
            /** @description About how many tokens of earlier turns the model receives, tool results included; by default 32,000. The oldest turns are left out first, as a whole and several at a time, so that providers can cache the rest. */
            historyTokens?: number;
            /**
             * @description Whether turns that no longer fit into the history are folded into a summary, which the model receives instead. The agent's own model writes it after an answer, once per several turns.
             * @default false
             */
            summarize: boolean;
            /**
             * @description Whether the model has a tool `recall`, which searches the agent's memory of the invocation's user, or of the session if there is no user.
             * @default false
             */
            recall: boolean;
            /** @description How long an invocation waits for the approval of its tool calls before it fails with `timeout`, from 1m to 7d; by default 24h. Requires a tool with `approval`. */
            approvalTimeout?: components["schemas"]["Duration"];
            endpoint?: components["schemas"]["Endpoint"];
            tools?: components["schemas"]["Tools"];
            /** @description Models that take over, in this order, when the previous one fails before its first text. */
            fallbacks?: components["schemas"]["ModelName"][];
            output?: components["schemas"]["Output"];
            budget?: components["schemas"]["Budget"];
            /** @description When the agent is invoked by itself. Schedules belong to the agent, not to its deployments: each invocation uses the configuration that is active in production. */
            schedules?: components["schemas"]["Schedule"][];
            /**
             * @description Whether messages and replies are stored in the agent's memory and in the session history. A request can also disable it, with `remember: false` in its context.
             * @default true
             */
            remember: boolean;
            auth?: components["schemas"]["Auth"];
            security?: components["schemas"]["Security"];
            mfa?: components["schemas"]["Mfa"];
            roles?: components["schemas"]["Roles"];
        };
        /**
         * @description One line of visible characters: no control characters, line separators, zero-width characters, or characters that change the writing direction.
         * @example Help desk backend
         */
        PrintableText: string;
        /**
         * @description The name of a header.
         * @example Authorization
         */
        HeaderName: string;
        /**
         * @description A reference to a secret: `${env:NAME}` reads the service's environment, `${file:path}` reads a file. A plain-text secret is rejected.
         * @example ${env:SUPPORT_BOT_JWT_SECRET}
         */
        SecretReference: string & components["schemas"]["PrintableText"];
        /** @description Headers to send, such as `Authorization`. Values are references, so the manifest contains no secrets. */
        Headers: {
            [key: string]: components["schemas"]["SecretReference"];
        };
        /**
         * @description A secret, `${env:NAME}` or `${file:path}`, or what the request brings: `${caller.token}` is the value of its header `X-Tool-Authorization` or else `Bearer` and the caller's own token, never an API key; `${context.KEY}` a value of its context; `${request.id}` its id; `${agent.name}` the agent's name.
         * @example ${caller.token}
         */
        ToolHeader: string & components["schemas"]["PrintableText"];
        /**
         * @description A value, or a reference to what the request brings: `${context.KEY}`, a value of its context with its JSON type, `${request.id}` or `${agent.name}`. Other text must not contain `${`.
         * @example ${context.user_id}
         */
        FixedArgument: string | number | boolean;
        /**
         * @description A URL with a host.
         * @example https://mcp.acme.example/mcp
         */
        ToolUrl: string;
        /** @description Headers to send, such as `Authorization`. Values are references: to secrets, so the manifest contains none, or to what the request brings. */
        ToolHeaders: {
            [key: string]: components["schemas"]["ToolHeader"];
        };
        /**
         * @description The name of a tool on its MCP server.
         * @example lookup
         */
        McpToolName: string;
        /**
         * @description A whole number with a unit (ms, s, m, h or d), such as `90s` or `1m`.
         * @example 60s
         */
        Duration: string;
        /** @description How long a call may take before it is reported to the model as failed, from 1ms to 10m. */
        ToolTimeout: components["schemas"]["Duration"];
        /**
         * @description Who must approve each call before it is made: `caller`, whoever may invoke the agent for the same user and session; `manage`, a key or token with the permission `manage`.
         * @enum {string}
         */
        Approval: "caller" | "manage";
        /** @description A Model Context Protocol server with the Streamable HTTP transport. The model sees its tools as the server name, an underscore and the tool name. */
        McpServer: {
            /**
             * @description The name of the server in this manifest.
             * @example orders
             */
            name: string;
            /** @description The URL of the server. Private addresses and http are rejected unless the operator allows them. */
            url: components["schemas"]["ToolUrl"];
            headers?: components["schemas"]["ToolHeaders"];
            /** @description The tools that the agent may use. Their definitions are recorded when the manifest is applied. If the server changes one later, the tool is disabled until the manifest is applied again. */
            allow: components["schemas"]["McpToolName"][];
            /** @default 10s */
            timeout: components["schemas"]["ToolTimeout"];
            /** @description The tools that are called only after somebody approves the call, and who may approve it. Each must be in `allow`. */
            approval?: {
                [key: string]: components["schemas"]["Approval"];
            };
        };
        /**
         * @description A JSON Schema (2020-12) of an object.
         * @example {
         *       "type": "object",
         *       "required": [
         *         "order_id"
         *       ],
         *       "properties": {
         *         "order_id": {
         *           "type": "string"
         *         }
         *       }
         *     }
         */
        ObjectSchema: {
            /**
             * @description Always an object.
             * @constant
             */
            type: "object";
        } & {
            [key: string]: unknown;
        };
        /** @description Arguments that the service adds to each call. The model neither sees nor changes them. They go where parameters go, and none may be declared in `parameters`. */
        FixedArguments: {
            [key: string]: components["schemas"]["FixedArgument"];
        };
        /** @description A request to an HTTP API. Parameters that appear in braces in the URL's path are inserted there, encoded. The others are sent in the query for GET and DELETE, and in the JSON body for other methods. */
        HttpTool: {
            /**
             * @description The name of the tool, as the model sees it.
             * @example refund
             */
            name: string;
            /**
             * @description What the tool does, for the model.
             * @example Refunds an order.
             */
            description: string;
            /**
             * @description The HTTP method.
             * @default POST
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @description The URL, such as `https://api.acme.example/orders/{order_id}/refund`. Parameters in braces are allowed only in the path, so the host is fixed. Private addresses and http are rejected unless the operator allows them. */
            url: components["schemas"]["ToolUrl"];
            /** @description The JSON Schema that the arguments of each call are validated against. */
            parameters: components["schemas"]["ObjectSchema"];
            arguments?: components["schemas"]["FixedArguments"];
            headers?: components["schemas"]["ToolHeaders"];
            /** @default 10s */
            timeout: components["schemas"]["ToolTimeout"];
            /** @description Whether a call may be made again if its result was lost, because the service was interrupted; by default only a GET is. */
            repeat?: boolean;
            approval?: components["schemas"]["Approval"];
        };
        /**
         * @description The name of an agent, unique within the account: lower-case letters, digits and hyphens, starting with a letter.
         * @example support-bot
         */
        AgentName: string;
        /** @description An agent of the account that the model can ask, with a tool `ask_NAME` that has one parameter, `message`. It runs as an invocation of its own, with its active configuration, for the same user and without a session. Agents ask each other to a depth of 3. The settings in its `security` and `mfa` do not apply, because the manifest grants the access. */
        AgentTool: {
            /** @description The name of the agent. It may be created later, and it may be this agent itself. */
            name: components["schemas"]["AgentName"];
            /**
             * @description What the agent is asked for, for the model.
             * @example Finds facts in the handbook.
             */
            description: string;
            /** @description How long the answer may take, from 1ms to 24h. The asked agent's own `timeout` and the time that is left of this agent's invocation hold as well. */
            timeout?: components["schemas"]["Duration"];
            approval?: components["schemas"]["Approval"];
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
         * @description The name of a role.
         * @example viewer
         */
        RoleName: string;
        /** @description The accepted values of a token's `role` claim. Other roles grant nothing; if omitted, no role grants anything. */
        RoleNames: components["schemas"]["RoleName"][];
        /** @description JSON Web Tokens signed with HS256, with the claims user_id, exp and iat, and a lifetime of at most an hour. A token may invoke the agent; a `role` claim adds the permissions of a role listed in `roles`. The secret must have at least 32 bytes. */
        JwtAuth: {
            /**
             * @description JSON Web Tokens.
             * @constant
             */
            type: "jwt";
            secret: components["schemas"]["SecretReference"];
            roles?: components["schemas"]["RoleNames"];
        };
        /**
         * @description The maximum lifetime of a token from issue to expiry, in minutes or hours; tokens with a longer lifetime are rejected. The default is one hour.
         * @example 90m
         */
        TokenLifetime: string;
        /** @description Access tokens from an OAuth 2.0 provider: JSON Web Tokens that are verified with the keys that the issuer publishes (RS256 or ES256). The scopes `read:agents` and `write:agents` grant read and write, and `invoke:agents` grants invoking alone; without them, a token grants nothing. A `role` claim adds the permissions of a role listed in `roles`. */
        OAuth2Auth: {
            /**
             * @description OAuth 2.0.
             * @constant
             */
            type: "oauth2";
            /**
             * Format: uri
             * @description The URL of the issuer, which serves its discovery document.
             */
            provider: string;
            /** @description The required audience of a token. */
            clientId: string;
            /** @description The client secret at the provider. Optional, because verifying signed tokens does not need it. */
            clientSecret?: components["schemas"]["SecretReference"];
            maxTokenLifetime?: components["schemas"]["TokenLifetime"];
            /** @description The accepted scopes of a token; others are ignored. By default all are accepted. */
            scopes?: ("read:agents" | "write:agents" | "invoke:agents")[];
            roles?: components["schemas"]["RoleNames"];
        };
        /**
         * @description `read`: read agents, deployments, logs, metrics, memory and webhooks. `write`: invoke, update, deploy, roll back, create webhooks. `delete`: delete agents, memory and webhooks. `manage`: create, list and revoke keys. No permission includes another.
         * @enum {string}
         */
        Permission: "read" | "write" | "delete" | "manage";
        /** @description The permissions of the key. A key can grant only permissions that it has itself. */
        Permissions: components["schemas"]["Permission"][];
        /** @description The client addresses from which requests are accepted. */
        IpWhitelist: {
            /** @description Whether the list is enforced. */
            enabled: boolean;
            /** @description IPv4 or IPv6 addresses or CIDR ranges. */
            addresses: string[];
        };
        /**
         * @description A file on the service's machine, absolute or relative to the manifest.
         * @example certs/clients-ca.pem
         */
        FilePath: components["schemas"]["PrintableText"];
        /** @description Client certificates. */
        Mtls: {
            /** @description Whether a client certificate that chains to `caCert` is required. */
            enabled: boolean;
            /** @description The certificate authority, in PEM, that client certificates must chain to. */
            caCert: components["schemas"]["FilePath"];
            /** @description The certificate that the service presents when it calls this agent's `endpoint`. */
            clientCert?: components["schemas"]["FilePath"];
            /** @description The private key of `clientCert`. */
            clientKey?: components["schemas"]["FilePath"];
        };
        /** @description The Strict-Transport-Security header, sent only in https responses. */
        Hsts: {
            /** @description Whether the header is sent. */
            enabled: boolean;
            /**
             * @description How long browsers must use https, in seconds.
             * @default 31536000
             */
            maxAge: number;
        };
        /** @description A rate limit for this agent, in addition to the account's. */
        RateLimit: {
            /** @description Whether the limit is enforced. */
            enabled: boolean;
            /** @description The number of requests per window, which is also the burst. */
            requests: number;
            /** @description The window length, from 1s to 1d. */
            window: components["schemas"]["Duration"];
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
        /** @description The endpoint of an `http/…` agent, required for such agents. It receives the message, context and history, and responds with JSON or server-sent events. */
        Endpoint: {
            /**
             * Format: uri
             * @description The URL to send POST requests to, without user name and password: credentials belong into `headers`. Private addresses and http are rejected unless the operator allows them.
             */
            url: string;
            headers?: components["schemas"]["Headers"];
        };
        /** @description Tools that the model can call: tools of MCP servers, requests to HTTP APIs, and other agents. Deployments freeze them. `http/…` and `builtin/…` models cannot have tools. */
        Tools: {
            /**
             * @description The maximum number of model calls per invocation. Each call receives the results of the tools that the previous one called.
             * @default 8
             */
            maxSteps: number;
            /** @description How many characters of a tool's result the model receives; by default 50,000. It receives less if its context window has no room for that. */
            maxResult?: number;
            /**
             * @description What the agent's log contains about a tool call in addition to its duration, outcome and size; by default nothing.
             * @enum {string}
             */
            log?: "arguments";
            /** @description MCP servers, reached over HTTP. */
            mcp?: components["schemas"]["McpServer"][];
            /** @description HTTP API requests that the model can make. */
            http?: components["schemas"]["HttpTool"][];
            /** @description Agents of the same account that the model can ask. */
            agents?: components["schemas"]["AgentTool"][];
        };
        /** @description Requires replies to be JSON text that matches the schema. A reply that does not match is returned to the model once; if the next one does not match either, the invocation fails with `upstream_error`. */
        Output: {
            schema: components["schemas"]["ObjectSchema"];
        };
        /** @description The number of input and output tokens that the agent's invocations may use. Once it is used up, invocations fail with `rate_limited` until the window ends. The budget belongs to the agent, not to its deployments: a rollback does not restore an earlier one. */
        Budget: {
            /** @description The number of tokens per window. */
            tokens: number;
            /** @description The window length, from 1m to 31d. Windows start at multiples of their length since 1970-01-01 in UTC. */
            window: components["schemas"]["Duration"];
        };
        /** @description A message that the agent is sent at set times, as an asynchronous invocation. A time is skipped while the invocation of the time before still runs. After an outage, only the last of the missed times is made up for. */
        Schedule: {
            name: components["schemas"]["ScheduleName"];
            cron: components["schemas"]["CronExpression"];
            /**
             * @description The IANA name of the time zone of `cron`, such as `Europe/Paris`. On days on which the clock changes, a set hour comes once.
             * @default UTC
             */
            timezone: components["schemas"]["TimeZone"];
            /** @description The message to the agent. */
            message: components["schemas"]["UserMessage"];
            context?: components["schemas"]["InvocationContext"];
        };
        /** @description Tokens that are accepted in place of an API key, only for the operations of this agent. */
        Auth: components["schemas"]["JwtAuth"] | components["schemas"]["OAuth2Auth"];
        /** @description Requirements for every request to this agent, in addition to its key or token. */
        Security: {
            ipWhitelist?: components["schemas"]["IpWhitelist"];
            mtls?: components["schemas"]["Mtls"];
            /**
             * @description Reject requests over plain http.
             * @default false
             */
            enforceHttps: boolean;
            hsts?: components["schemas"]["Hsts"];
            rateLimit?: components["schemas"]["RateLimit"];
        };
        /** @description One-time codes (TOTP) that operations require in `X-MFA-Code`. */
        Mfa: {
            /** @description Whether codes are required. */
            enabled: boolean;
            /** @description The operations on the agent that require a code. `update` covers everything that changes what the agent does: updating it, creating a deployment and rolling one back. */
            operations: ("delete" | "update")[];
        };
        /** @description The permissions of each role. `admin` (read, write, delete, manage), `developer` (read, write) and `viewer` (read) are built in and can be overridden here. Roles apply only to this agent. */
        Roles: {
            [key: string]: components["schemas"]["Permissions"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AgentManifest = components['schemas']['AgentManifest'];
export type PrintableText = components['schemas']['PrintableText'];
export type HeaderName = components['schemas']['HeaderName'];
export type SecretReference = components['schemas']['SecretReference'];
export type Headers = components['schemas']['Headers'];
export type ToolHeader = components['schemas']['ToolHeader'];
export type FixedArgument = components['schemas']['FixedArgument'];
export type ToolUrl = components['schemas']['ToolUrl'];
export type ToolHeaders = components['schemas']['ToolHeaders'];
export type McpToolName = components['schemas']['McpToolName'];
export type Duration = components['schemas']['Duration'];
export type ToolTimeout = components['schemas']['ToolTimeout'];
export type Approval = components['schemas']['Approval'];
export type McpServer = components['schemas']['McpServer'];
export type ObjectSchema = components['schemas']['ObjectSchema'];
export type FixedArguments = components['schemas']['FixedArguments'];
export type HttpTool = components['schemas']['HttpTool'];
export type AgentName = components['schemas']['AgentName'];
export type AgentTool = components['schemas']['AgentTool'];
export type ScheduleName = components['schemas']['ScheduleName'];
export type CronExpression = components['schemas']['CronExpression'];
export type TimeZone = components['schemas']['TimeZone'];
export type UserMessage = components['schemas']['UserMessage'];
export type UserId = components['schemas']['UserId'];
export type SessionId = components['schemas']['SessionId'];
export type InvocationContext = components['schemas']['InvocationContext'];
export type RoleName = components['schemas']['RoleName'];
export type RoleNames = components['schemas']['RoleNames'];
export type JwtAuth = components['schemas']['JwtAuth'];
export type TokenLifetime = components['schemas']['TokenLifetime'];
export type OAuth2Auth = components['schemas']['OAuth2Auth'];
export type Permission = components['schemas']['Permission'];
export type Permissions = components['schemas']['Permissions'];
export type IpWhitelist = components['schemas']['IpWhitelist'];
export type FilePath = components['schemas']['FilePath'];
export type Mtls = components['schemas']['Mtls'];
export type Hsts = components['schemas']['Hsts'];
export type RateLimit = components['schemas']['RateLimit'];
export type ModelName = components['schemas']['ModelName'];
export type Temperature = components['schemas']['Temperature'];
export type Instructions = components['schemas']['Instructions'];
export type Endpoint = components['schemas']['Endpoint'];
export type Tools = components['schemas']['Tools'];
export type Output = components['schemas']['Output'];
export type Budget = components['schemas']['Budget'];
export type Schedule = components['schemas']['Schedule'];
export type Auth = components['schemas']['Auth'];
export type Security = components['schemas']['Security'];
export type Mfa = components['schemas']['Mfa'];
export type Roles = components['schemas']['Roles'];

// Generated from spec/ by npm run generate. Do not edit.

export interface components {
    schemas: {
        /**
         * AgentManifest
         * @description One agent as its operator describes it. Applying the manifest creates the agent, or brings the one of that name into line with it.
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
            /** @default 1 */
            temperature: components["schemas"]["Temperature"];
            /** @default  */
            instructions: components["schemas"]["Instructions"];
            /**
             * @description How long an invocation may take before it fails with `timeout`. Up to 10 minutes.
             * @default 60s
             */
            timeout: components["schemas"]["Duration"];
            /**
             * @description How many earlier turns of a session go to the model; 0 for none.
             * @default 20
             */
            history: number;
            endpoint?: components["schemas"]["Endpoint"];
            tools?: components["schemas"]["Tools"];
            /** @description Models to take instead, in this order, when the one before fails before its first text. */
            fallbacks?: components["schemas"]["ModelName"][];
            output?: components["schemas"]["Output"];
            budget?: components["schemas"]["Budget"];
            /**
             * @description Whether messages and responses are kept as the agent's memory and as the history of their session. A request can forbid it too, with `remember: false` in its context.
             * @default true
             */
            remember: boolean;
            auth?: components["schemas"]["Auth"];
            security?: components["schemas"]["Security"];
            mfa?: components["schemas"]["Mfa"];
            roles?: components["schemas"]["Roles"];
        };
        /**
         * @description Text on one line, of characters that can be seen: no control characters, no characters that change the direction of writing, none without width, no line separators.
         * @example Help desk backend
         */
        PrintableText: string;
        /**
         * @description Where to read a secret: `${env:NAME}` from the service's environment, `${file:path}` from a file. A secret itself is refused, so that none ends up in a manifest.
         * @example ${env:SUPPORT_BOT_JWT_SECRET}
         */
        SecretReference: string & components["schemas"]["PrintableText"];
        /** @description Headers to send along, such as `Authorization`. Values are references, so that no secret stands here. */
        Headers: {
            [key: string]: components["schemas"]["SecretReference"];
        };
        /**
         * @description An address with a host.
         * @example https://mcp.acme.example/mcp
         */
        ToolUrl: string;
        /**
         * @description A whole number and its unit, ms, s, m, h or d, such as `90s` or `1m`.
         * @example 60s
         */
        Duration: string;
        /** @description How long a call may take before the model is told that it failed, from 1ms to 10m. */
        ToolTimeout: components["schemas"]["Duration"];
        /** @description A server of the Model Context Protocol with the Streamable HTTP transport. Its tools reach the model under the name of the server, an underscore and their own name. */
        McpServer: {
            /**
             * @description The name of the server in this manifest.
             * @example orders
             */
            name: string;
            /** @description The server's address. Private addresses and http are refused unless the operator allows them. */
            url: components["schemas"]["ToolUrl"];
            headers?: components["schemas"]["Headers"];
            /** @description The tools that the agent may use. Their definitions are recorded when the manifest is applied; one that the server changes later is withdrawn until the manifest is applied again. */
            allow: string[];
            /** @default 10s */
            timeout: components["schemas"]["ToolTimeout"];
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
        /** @description A request to an HTTP API. Parameters that the URL's path names in braces go there, encoded; the others go into the query of GET and DELETE, and into the JSON body of the other methods. */
        HttpTool: {
            /**
             * @description The name under which the model knows the tool.
             * @example refund
             */
            name: string;
            /**
             * @description What the tool does, in words for the model.
             * @example Refunds an order.
             */
            description: string;
            /**
             * @description The method of the request.
             * @default POST
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /** @description The address, with parameters in braces in its path alone, such as `https://api.acme.example/orders/{order_id}/refund`. The host is always as it stands here. Private addresses and http are refused unless the operator allows them. */
            url: components["schemas"]["ToolUrl"];
            /** @description The JSON Schema of the arguments, with which each call is checked. */
            parameters: components["schemas"]["ObjectSchema"];
            headers?: components["schemas"]["Headers"];
            /** @default 10s */
            timeout: components["schemas"]["ToolTimeout"];
        };
        /**
         * @description The name of a role.
         * @example viewer
         */
        RoleName: string;
        /** @description The roles that a token's `role` claim may name. Any other role gives nothing, and so does each of them if this is left out. */
        RoleNames: components["schemas"]["RoleName"][];
        /** @description JSON Web Tokens signed with HS256, with the claims user_id, exp and iat, and a lifetime of at most an hour. By itself a token may invoke the agent; a `role` claim adds the permissions of a role listed in `roles`. The secret has at least 32 bytes. */
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
         * @description How long a token may be valid from its issue to its expiry, in minutes or hours; one that is valid for longer is refused. Left out, it is an hour.
         * @example 90m
         */
        TokenLifetime: string;
        /** @description Access tokens of an OAuth 2.0 provider, JSON Web Tokens verified with the keys that its issuer publishes (RS256 or ES256). The scopes `read:agents` and `write:agents` give read and write, and nothing is given without one; a `role` claim adds the permissions of a role listed in `roles`. */
        OAuth2Auth: {
            /**
             * @description OAuth 2.0.
             * @constant
             */
            type: "oauth2";
            /**
             * Format: uri
             * @description The issuer's URL, under which its discovery document lies.
             */
            provider: string;
            /** @description The audience that a token must name. */
            clientId: string;
            /** @description The client's secret at the provider. Verifying signed tokens needs none, so it may be left out. */
            clientSecret?: components["schemas"]["SecretReference"];
            maxTokenLifetime?: components["schemas"]["TokenLifetime"];
            /** @description The scopes that a token may use here; any other is ignored. Left out, both count. */
            scopes?: ("read:agents" | "write:agents")[];
            roles?: components["schemas"]["RoleNames"];
        };
        /**
         * @description `read`: see agents, deployments, logs, metrics, memory and webhooks. `write`: invoke, update, deploy, roll back, create webhooks. `delete`: delete agents, memory and webhooks. `manage`: create, list and revoke keys. None contains another.
         * @enum {string}
         */
        Permission: "read" | "write" | "delete" | "manage";
        /** @description What the key may do. A key can grant only permissions that it has itself. */
        Permissions: components["schemas"]["Permission"][];
        /** @description The client addresses from which requests are taken. */
        IpWhitelist: {
            /** @description Whether the list is enforced. */
            enabled: boolean;
            /** @description IPv4 or IPv6 addresses, or CIDR ranges of them. */
            addresses: string[];
        };
        /**
         * @description A file on the service's machine, absolute or relative to the manifest.
         * @example certs/clients-ca.pem
         */
        FilePath: components["schemas"]["PrintableText"];
        /** @description Client certificates. */
        Mtls: {
            /** @description Whether a client certificate that chains to `caCert` is demanded. */
            enabled: boolean;
            /** @description The certificate authority, in PEM, to which the client's certificate must chain. */
            caCert: components["schemas"]["FilePath"];
            /** @description The certificate that the service itself presents when it calls this agent's `endpoint`. */
            clientCert?: components["schemas"]["FilePath"];
            /** @description The private key of `clientCert`. */
            clientKey?: components["schemas"]["FilePath"];
        };
        /** @description The Strict-Transport-Security header, sent on https answers only. */
        Hsts: {
            /** @description Whether the header is sent. */
            enabled: boolean;
            /**
             * @description For how many seconds browsers shall insist on https.
             * @default 31536000
             */
            maxAge: number;
        };
        /** @description A limit of this agent's own, on top of the account's. */
        RateLimit: {
            /** @description Whether it is enforced. */
            enabled: boolean;
            /** @description How many requests fit into a window, and how many may come at once. */
            requests: number;
            /** @description The time in which so many requests fit, from 1s to 1d. */
            window: components["schemas"]["Duration"];
        };
        /**
         * @description An agent's name, unique within the account. Lower-case letters, digits and hyphens, starting with a letter.
         * @example support-bot
         */
        AgentName: string;
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
        /** @description Where an `http/…` agent listens, which must have one. It is called with message, context and history, and answers with JSON or server-sent events. */
        Endpoint: {
            /**
             * Format: uri
             * @description The address to POST to. Private addresses and http are refused unless the operator allows them.
             */
            url: string;
            headers?: components["schemas"]["Headers"];
        };
        /** @description What the model may do besides answering: tools of MCP servers, and requests to HTTP APIs. They are frozen into deployments. Models of `http/…` and `builtin/…` have none. */
        Tools: {
            /**
             * @description How often the model may be called for one invocation, each time with the results of the tools that it asked for.
             * @default 8
             */
            maxSteps: number;
            /**
             * @description What the agent's log tells of a call besides its duration, outcome and size. Left out, nothing.
             * @enum {string}
             */
            log?: "arguments";
            /** @description Servers of the Model Context Protocol, over HTTP. */
            mcp?: components["schemas"]["McpServer"][];
            /** @description Requests to HTTP APIs. */
            http?: components["schemas"]["HttpTool"][];
        };
        /** @description What a response must be: JSON text that fits the schema. One that does not is sent back to the model once; if the next does not either, the invocation fails with `upstream_error`. */
        Output: {
            schema: components["schemas"]["ObjectSchema"];
        };
        /** @description How many tokens the agent's invocations may use, input and output together. Once they are used up, invocations are refused with `rate_limited` until the window ends. It belongs to the agent, not to its deployments: a rollback does not restore an earlier one. */
        Budget: {
            /** @description The number of tokens in a window. */
            tokens: number;
            /** @description The length of a window, from 1m to 31d. Windows begin at multiples of it since 1970-01-01 in UTC. */
            window: components["schemas"]["Duration"];
        };
        /** @description Tokens that are accepted as the bearer in place of an API key, for the operations of this agent alone. */
        Auth: components["schemas"]["JwtAuth"] | components["schemas"]["OAuth2Auth"];
        /** @description What a request must fulfil besides its key or token, for every operation of this agent. */
        Security: {
            ipWhitelist?: components["schemas"]["IpWhitelist"];
            mtls?: components["schemas"]["Mtls"];
            /**
             * @description Refuse requests over plain http.
             * @default false
             */
            enforceHttps: boolean;
            hsts?: components["schemas"]["Hsts"];
            rateLimit?: components["schemas"]["RateLimit"];
        };
        /** @description One-time codes (TOTP) that named operations demand in `X-MFA-Code`. */
        Mfa: {
            /** @description Whether codes are demanded. */
            enabled: boolean;
            /** @description Which operations on the agent demand a code. */
            operations: ("delete" | "update")[];
        };
        /** @description What each role may do. `admin` (read, write, delete, manage), `developer` (read, write) and `viewer` (read) are there without being named, and may be given another meaning here. A role counts for this agent alone. */
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
export type SecretReference = components['schemas']['SecretReference'];
export type Headers = components['schemas']['Headers'];
export type ToolUrl = components['schemas']['ToolUrl'];
export type Duration = components['schemas']['Duration'];
export type ToolTimeout = components['schemas']['ToolTimeout'];
export type McpServer = components['schemas']['McpServer'];
export type ObjectSchema = components['schemas']['ObjectSchema'];
export type HttpTool = components['schemas']['HttpTool'];
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
export type AgentName = components['schemas']['AgentName'];
export type ModelName = components['schemas']['ModelName'];
export type Temperature = components['schemas']['Temperature'];
export type Instructions = components['schemas']['Instructions'];
export type Endpoint = components['schemas']['Endpoint'];
export type Tools = components['schemas']['Tools'];
export type Output = components['schemas']['Output'];
export type Budget = components['schemas']['Budget'];
export type Auth = components['schemas']['Auth'];
export type Security = components['schemas']['Security'];
export type Mfa = components['schemas']['Mfa'];
export type Roles = components['schemas']['Roles'];

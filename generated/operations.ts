// Generated from spec/ by npm run generate. Do not edit.

import type { ErrorCode, Permission, operations as contract } from './api.js';
import type { Mfa } from './manifest.js';

export type OperationId = keyof contract;

export type Method = "post" | "get" | "patch" | "delete";

/** What the request pipeline needs to know about an operation. */
export interface Route {
    readonly operationId: OperationId;
    readonly method: Method;
    readonly path: string;
    readonly tag: string;
    readonly permission: Permission;
    readonly idempotent: boolean;
    /** The name under which a manifest can require a one-time code for it. */
    readonly mfa: Mfa["operations"][number] | null;
    readonly hasBody: boolean;
    /** Whether it can respond with server-sent events. */
    readonly streams: boolean;
    readonly statuses: readonly number[];
}

export const operations = {
    invokeAgent: {
        operationId: "invokeAgent",
        method: "post",
        path: "/v1/agents/{agent_id}/invoke",
        tag: "agents",
        permission: "write",
        idempotent: true,
        mfa: null,
        hasBody: true,
        streams: true,
        statuses: [200, 202, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504],
    },
    listAgents: {
        operationId: "listAgents",
        method: "get",
        path: "/v1/agents",
        tag: "agents",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 405, 429, 500, 503],
    },
    getAgent: {
        operationId: "getAgent",
        method: "get",
        path: "/v1/agents/{agent_id}",
        tag: "agents",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    updateAgent: {
        operationId: "updateAgent",
        method: "patch",
        path: "/v1/agents/{agent_id}",
        tag: "agents",
        permission: "write",
        idempotent: false,
        mfa: "update",
        hasBody: true,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 413, 415, 429, 500, 503],
    },
    deleteAgent: {
        operationId: "deleteAgent",
        method: "delete",
        path: "/v1/agents/{agent_id}",
        tag: "agents",
        permission: "delete",
        idempotent: false,
        mfa: "delete",
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    listDeployments: {
        operationId: "listDeployments",
        method: "get",
        path: "/v1/agents/{agent_id}/deployments",
        tag: "deployments",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    createDeployment: {
        operationId: "createDeployment",
        method: "post",
        path: "/v1/agents/{agent_id}/deployments",
        tag: "deployments",
        permission: "write",
        idempotent: true,
        mfa: "update",
        hasBody: true,
        streams: false,
        statuses: [201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503],
    },
    rollbackDeployment: {
        operationId: "rollbackDeployment",
        method: "post",
        path: "/v1/agents/{agent_id}/deployments/{deployment_id}/rollback",
        tag: "deployments",
        permission: "write",
        idempotent: true,
        mfa: "update",
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 409, 429, 500, 503],
    },
    getLogs: {
        operationId: "getLogs",
        method: "get",
        path: "/v1/agents/{agent_id}/logs",
        tag: "logs",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    getMetrics: {
        operationId: "getMetrics",
        method: "get",
        path: "/v1/agents/{agent_id}/metrics",
        tag: "metrics",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    searchMemory: {
        operationId: "searchMemory",
        method: "post",
        path: "/v1/agents/{agent_id}/memory/search",
        tag: "memory",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: true,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 413, 415, 429, 500, 503],
    },
    clearMemory: {
        operationId: "clearMemory",
        method: "delete",
        path: "/v1/agents/{agent_id}/memory",
        tag: "memory",
        permission: "delete",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    listWebhooks: {
        operationId: "listWebhooks",
        method: "get",
        path: "/v1/webhooks",
        tag: "webhooks",
        permission: "read",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 405, 429, 500, 503],
    },
    createWebhook: {
        operationId: "createWebhook",
        method: "post",
        path: "/v1/webhooks",
        tag: "webhooks",
        permission: "write",
        idempotent: true,
        mfa: null,
        hasBody: true,
        streams: false,
        statuses: [201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503],
    },
    deleteWebhook: {
        operationId: "deleteWebhook",
        method: "delete",
        path: "/v1/webhooks/{webhook_id}",
        tag: "webhooks",
        permission: "delete",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
    listApiKeys: {
        operationId: "listApiKeys",
        method: "get",
        path: "/v1/keys",
        tag: "keys",
        permission: "manage",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 405, 429, 500, 503],
    },
    createApiKey: {
        operationId: "createApiKey",
        method: "post",
        path: "/v1/keys",
        tag: "keys",
        permission: "manage",
        idempotent: true,
        mfa: null,
        hasBody: true,
        streams: false,
        statuses: [201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503],
    },
    revokeApiKey: {
        operationId: "revokeApiKey",
        method: "delete",
        path: "/v1/keys/{key_id}",
        tag: "keys",
        permission: "manage",
        idempotent: false,
        mfa: null,
        hasBody: false,
        streams: false,
        statuses: [200, 400, 401, 403, 404, 405, 429, 500, 503],
    },
} as const satisfies Record<OperationId, Route>;

/** The default values that validation sets for omitted query parameters. */
export interface QueryDefaults {
    invokeAgent: Record<never, never>;
    listAgents: { limit: 10; offset: 0; sort: "-created_at" };
    getAgent: Record<never, never>;
    updateAgent: Record<never, never>;
    deleteAgent: Record<never, never>;
    listDeployments: { limit: 10; offset: 0; sort: "-created_at" };
    createDeployment: Record<never, never>;
    rollbackDeployment: Record<never, never>;
    getLogs: { limit: 100; offset: 0 };
    getMetrics: { granularity: "1h" };
    searchMemory: Record<never, never>;
    clearMemory: Record<never, never>;
    listWebhooks: { limit: 10; offset: 0; sort: "-created_at" };
    createWebhook: Record<never, never>;
    deleteWebhook: Record<never, never>;
    listApiKeys: { limit: 10; offset: 0; sort: "-created_at" };
    createApiKey: Record<never, never>;
    revokeApiKey: Record<never, never>;
}

/** The query of a validated request: a parameter with a default is always present. */
export type Query<Id extends OperationId> = WithDefaults<
    NonNullable<contract[Id]['parameters']['query']>,
    QueryDefaults[Id]
>;

type WithDefaults<Parameters, Defaults> = [Parameters] extends [never]
    ? object
    : Omit<Parameters, keyof Defaults> & Required<Pick<Parameters, keyof Parameters & keyof Defaults>>;

/** The HTTP status of each error code. */
export const errorStatus = {
    invalid_request: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    method_not_allowed: 405,
    conflict: 409,
    payload_too_large: 413,
    unsupported_media_type: 415,
    idempotency_mismatch: 422,
    rate_limited: 429,
    server_error: 500,
    upstream_error: 502,
    unavailable: 503,
    timeout: 504,
} as const satisfies Record<ErrorCode, number>;

/**
 * What the operation types must accept and reject. Each rejection has a `@ts-expect-error`, so the compiler reports those
 * that it would accept.
 */
import type { Agent, Invocation, InvocationEvent } from '../../generated/api.js';
import type { OperationId } from '../../generated/operations.js';
import type { Input, Operations, Output } from '../../server/contract/operations.js';

interface Context {
  account: string;
}

declare const all: Operations<Context>;
declare const streamed: AsyncIterable<InvocationEvent>;

const invocation: Invocation = {
  response: 'Order 5512 left our warehouse this morning.',
  request_id: 'req_01m6dsg7e0eha8ks12y199e68y',
  tokens_used: 312,
  duration_ms: 940,
  status: 'completed',
};

const agent: Agent = {
  id: 'agent_01m3v7me00f8c8623ebffsvy4c',
  name: 'support-bot',
  status: 'running',
  model: 'builtin/echo',
  temperature: 0.3,
  instructions: 'Be brief.',
  settings: { timeout: '60s', history: 20 },
  policy: {},
  active_deployment_id: null,
  created_at: '2026-10-01T08:00:00.000Z',
  updated_at: '2026-11-02T08:58:20.000Z',
};

export const accepted = {
  ...all,
  getAgent: ({ path }, context) =>
    Promise.resolve({
      status: 200,
      body: { success: true, data: { ...agent, name: path.agent_id + context.account } },
    }),
  listAgents: ({ query }) => {
    // Parameters with a default are always defined; others may be undefined.
    const page: { limit: number; offset: number; status: string | undefined } = {
      limit: query.limit,
      offset: query.offset,
      status: query.status,
    };
    return Promise.resolve({
      status: 200,
      body: {
        data: [],
        pagination: { limit: page.limit, offset: page.offset, total: 0, has_more: false },
      },
    });
  },
  invokeAgent: ({ headers, body }) =>
    Promise.resolve(
      headers.prefer === 'respond-async'
        ? {
            status: 202,
            headers: { 'Preference-Applied': 'respond-async' },
            body: { success: true, data: { request_id: invocation.request_id } },
          }
        : body.message.length > 10
          ? { status: 200, events: streamed }
          : { status: 200, body: { success: true, data: invocation } },
    ),
} satisfies Operations<Context>;

// An operation is missing.
declare const incomplete: Omit<Operations<Context>, 'getAgent'>;
// @ts-expect-error getAgent is missing
export const missingOperation = incomplete satisfies Operations<Context>;

export const unknownOperation = {
  ...all,
  // @ts-expect-error the contract has no such operation
  restartAgent: all.getAgent,
} satisfies Operations<Context>;

export const undocumentedStatus: Output<'getAgent'> = {
  // @ts-expect-error getAgent documents 200 alone as a success
  status: 201,
  body: { success: true, data: agent },
};

export const errorAsReply: Output<'getAgent'> = {
  // @ts-expect-error errors are thrown, never returned
  status: 404,
  // @ts-expect-error and their body is no success
  body: { success: false, error: { code: 'not_found', message: 'There is no such agent.' } },
};

// @ts-expect-error the body is missing
export const missingBody: Output<'getAgent'> = { status: 200 };

export const missingField: Output<'getAgent'> = {
  status: 200,
  // @ts-expect-error most fields of the agent are missing
  body: { success: true, data: { id: agent.id, name: agent.name } },
};

export const undocumentedField: Output<'getAgent'> = {
  status: 200,
  // @ts-expect-error the contract's agent has no such field
  body: { success: true, data: { ...agent, prompt: 'Be brief.' } },
};

export const wrongType: Output<'getAgent'> = {
  status: 200,
  // @ts-expect-error a time is a string
  body: { success: true, data: { ...agent, created_at: new Date(0) } },
};

export const valueOutsideEnum: Output<'getAgent'> = {
  status: 200,
  // @ts-expect-error not one of the documented values
  body: { success: true, data: { ...agent, status: 'sleeping' } },
};

export const wrongEnvelope: Output<'listAgents'> = {
  status: 200,
  // @ts-expect-error a list comes with pagination
  body: { success: true, data: [] },
};

export const undocumentedHeader: Output<'invokeAgent'> = {
  status: 202,
  body: { success: true, data: { request_id: invocation.request_id } },
  // @ts-expect-error the contract names no such header
  headers: { 'X-Shortcut': 'yes' },
};

// @ts-expect-error only invocations stream
export const strayStream: Output<'getAgent'> = { status: 200, events: streamed };

export function wrongParameters(get: Input<'getAgent'>, list: Input<'listAgents'>): unknown[] {
  return [
    // @ts-expect-error the path holds agent_id
    get.path.id,
    // @ts-expect-error getAgent has no query
    get.query.limit,
    // @ts-expect-error listAgents has no such filter
    list.query.model,
    // @ts-expect-error a limit is a number
    list.query.limit.length,
    // @ts-expect-error a GET has no body
    get.body.message,
  ];
}

// @ts-expect-error not an operation of the contract
export const unknownId: OperationId = 'restartAgent';

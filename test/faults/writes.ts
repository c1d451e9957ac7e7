/** The kinds of writes, each with the effect that must be in the database exactly once after it was acknowledged. */
import type pg from 'pg';
import type { OperationId } from '../../generated/operations.js';
import type { Call } from '../helpers/service/api.js';
import type { Workshop } from './workshop.js';

export interface Write {
  /** The text to search for when it is lost. */
  name: string;
  request: { operationId: OperationId; call: Call };
  /** It consists of many steps, so how long it takes is no sign of an outage. */
  isLong?: boolean;
  acknowledge: (body: unknown) => void;
  /** The number of times its effect was found: 0 means lost, more than 1 means applied twice. */
  countEffects: (database: pg.Pool) => Promise<number>;
}

export interface NewWrite {
  /** Unique to the write; also its Idempotency-Key. */
  id: string;
  agent: string;
  /** Its conversation. */
  client: string;
  /** Increases with each write of the client. */
  temperature: number;
}

export type WriteKind = (write: NewWrite) => Write;

const createKey: WriteKind = ({ id }) => ({
  name: `key ${id}`,
  request: {
    operationId: 'createApiKey',
    call: { headers: { 'idempotency-key': id }, body: { name: id, permissions: ['read'] } },
  },
  acknowledge: () => undefined,
  countEffects: (database) => count(database, 'SELECT FROM api_keys WHERE name = $1', [id]),
});

const invoke =
  (headers: Record<string, string>): WriteKind =>
  ({ id, agent, client }) => {
    // An accepted invocation may run on another instance, and a later message of the same session would wait for it.
    const session = `${client} ${headers['prefer'] ?? ''}`;
    let requestId = '';
    return {
      get name() {
        return `invocation ${requestId}`;
      },
      request: {
        operationId: 'invokeAgent',
        call: {
          path: { agent_id: agent },
          headers: { 'idempotency-key': id, ...headers },
          body: { message: id, context: { session_id: session } },
        },
      },
      acknowledge: (body) => {
        requestId = (body as { data: { request_id: string } }).data.request_id;
      },
      // With another request id it would have been remembered twice, or not as acknowledged.
      countEffects: async (database) => {
        const recorded = await count(
          database,
          `SELECT FROM invocations WHERE id = $1 AND status = 'succeeded'`,
          [requestId],
        );
        const remembered = await count(
          database,
          `SELECT FROM memory_entries WHERE agent_id = $1 AND role = 'user' AND content = $2`,
          [agent, id],
        );
        return recorded === 1 ? remembered : 0;
      },
    };
  };

const steps = Array.from({ length: 20 }, () => ['make'] as const);

/** A run with tools. The workshop finds what was made twice or lost. */
const run =
  (workshop: Workshop, headers: Record<string, string>): WriteKind =>
  ({ id, agent }) => {
    // The pauses leave the machine to the other writes.
    const started = workshop.open({ steps, pauseMs: 50 });
    let requestId = '';
    return {
      name: `run ${started.id}`,
      isLong: true,
      request: {
        operationId: 'invokeAgent',
        call: {
          path: { agent_id: agent },
          headers: { 'idempotency-key': id, ...headers },
          body: { message: started.message },
        },
      },
      acknowledge: (body) => {
        requestId = (body as { data: { request_id: string } }).data.request_id;
      },
      countEffects: async (database) => {
        const { rows } = await database.query<{ content: string }>(
          `SELECT content FROM memory_entries WHERE agent_id = $1 AND role = 'agent' AND request_id = $2`,
          [agent, requestId],
        );
        for (const { content } of rows) started.finish(content);
        return rows.length;
      },
    };
  };

export const runKinds = (workshop: Workshop): readonly WriteKind[] => [
  run(workshop, {}),
  run(workshop, { prefer: 'respond-async' }),
];

/** Needs no Idempotency-Key, since setting a value is idempotent. Later writes of the client may overwrite it. */
const update: WriteKind = ({ agent, temperature }) => ({
  name: `temperature ${temperature} of ${agent}`,
  request: {
    operationId: 'updateAgent',
    call: { path: { agent_id: agent }, body: { temperature } },
  },
  acknowledge: () => undefined,
  countEffects: (database) =>
    count(database, 'SELECT FROM agents WHERE id = $1 AND temperature >= $2', [agent, temperature]),
});

export const writeKinds: readonly WriteKind[] = [
  createKey,
  invoke({}),
  invoke({ prefer: 'respond-async' }),
  update,
];

async function count(database: pg.Pool, query: string, values: unknown[]): Promise<number> {
  return (await database.query(query, values)).rowCount ?? 0;
}

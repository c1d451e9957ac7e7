/** Clients that write without a pause, and repeat nothing: each failed request is reported with the time of its flight. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Write, writeKinds } from '../faults/writes.js';
import { send } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';

export interface LoadOptions {
  url: string;
  key: string;
  /** One agent per client. */
  agents: readonly string[];
}

export interface Failure {
  operation: string;
  /** The status, or the error of the connection. */
  outcome: string;
  /** By `performance.now()`. */
  sentAt: number;
  endedAt: number;
}

export interface Load {
  /** Resolves when every client has succeeded with a request that it sent at this time, by `performance.now()`, or later. */
  served: (from?: number) => Promise<void>;
  /** Resolves when no request is in flight. */
  stop: () => Promise<{ acknowledged: Write[]; failures: Failure[] }>;
}

const timeoutMs = 30_000;
const pauseAfterFailureMs = 20;

export function startLoad({ url, key, agents }: LoadOptions): Load {
  const acknowledged: Write[] = [];
  const failures: Failure[] = [];
  const lastServed = agents.map(() => -Infinity);
  let isStopping = false;

  const perform = async (write: Write, client: number): Promise<void> => {
    const { operationId: operation, call } = write.request;
    const sentAt = performance.now();
    const outcome = await attempt(write, call).catch(String);
    if (outcome === 'acknowledged') {
      acknowledged.push(write);
      lastServed[client] = sentAt;
      return;
    }
    failures.push({ operation, outcome, sentAt, endedAt: performance.now() });
    await delay(pauseAfterFailureMs);
  };

  const attempt = async (write: Write, call: Write['request']['call']): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, ...call.headers };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await send(url, write.request.operationId, { ...call, headers, signal });
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text}`;
    write.acknowledge(JSON.parse(text));
    return 'acknowledged';
  };

  const client = async (agent: string, index: number) => {
    for (let count = 0; !isStopping; count += 1) {
      const kind = writeKinds[(count + index) % writeKinds.length];
      // A lost instance keeps the session of a request in flight for seconds, so each request has its own.
      const write = kind?.({
        id: randomUUID(),
        agent,
        client: randomUUID(),
        temperature: (count + 1) * 1e-6,
      });
      if (write) await perform(write, index);
    }
  };
  const clients = Promise.all(agents.map(client));

  return {
    served: (from = performance.now()) =>
      eventually(() => {
        const waiting = lastServed.filter((time) => time < from).length;
        if (waiting > 0) {
          const last = failures.at(-1);
          throw new Error(`${waiting} clients are not served: ${JSON.stringify(last)}`);
        }
      }),
    stop: async () => {
      isStopping = true;
      await clients;
      return { acknowledged, failures };
    },
  };
}

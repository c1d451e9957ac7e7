/** A well-behaved tenant with a steady, modest rate of ordinary requests, each of which is timed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OperationId } from '../../generated/operations.js';
import { type Call, send } from '../helpers/service/api.js';
import type { Tenant } from '../helpers/service/service.js';

export interface Measurements {
  /** The duration of each request, from the moment when it was due. */
  latencies: number[];
  /** The failed requests, for example `invokeAgent 503`. */
  failures: string[];
}

const everyMs = 25;

export interface Neighbour {
  /** Runs until the signal is aborted. */
  work: (until: AbortSignal) => Promise<Measurements>;
}

export async function createNeighbour(url: string, tenant: Tenant): Promise<Neighbour> {
  const { id: agent_id } = await tenant.newAgent();
  const path = { agent_id };
  const work: [OperationId, Call][] = [
    ['getAgent', { path }],
    ['invokeAgent', { path, body: { message: 'Where is my parcel?' } }],
    ['listAgents', {}],
    ['searchMemory', { path, body: { query: 'parcel' } }],
    ['getLogs', { path }],
    ['getMetrics', { path, query: { metric: 'throughput' } }],
  ];
  const headers = { authorization: `Bearer ${tenant.key}` };

  const request = async (n: number, { latencies, failures }: Measurements) => {
    const [operationId, call] = work[n % work.length] ?? ['listAgents', {}];
    const due = performance.now();
    const outcome = await send(url, operationId, { ...call, headers }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      (error: unknown) => String(error),
    );
    latencies.push(performance.now() - due);
    if (outcome !== 200) failures.push(`${operationId} ${outcome}`);
  };

  return {
    work: async (until) => {
      const experience: Measurements = { latencies: [], failures: [] };
      const pending: Promise<void>[] = [];
      const start = performance.now();
      for (let n = 0; !until.aborted; n += 1) {
        pending.push(request(n, experience));
        await delay(Math.max(0, start + (n + 1) * everyMs - performance.now()));
      }
      await Promise.all(pending);
      return experience;
    },
  };
}

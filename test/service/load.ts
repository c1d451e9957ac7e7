/** Clients of all kinds behind a load balancer that uses the instances that are ready. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { OperationId } from '../../generated/operations.js';
import { type Call, send, statusAt } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';

export interface Load {
  add: (url: string) => void;
  remove: (url: string) => void;
  /** The number of answered requests. */
  done: () => number;
  /** Waits for this many. */
  reached: (count: number) => Promise<void>;
  /** The failures, and the ids of all acknowledged invocations, synchronous and asynchronous. */
  stop: () => Promise<{ failures: string[]; invoked: string[]; accepted: string[] }>;
}

interface Step {
  operation: OperationId;
  call: (round: number, client: number) => Call;
  /** The content of a complete response. */
  ends?: string;
}

/** The calls that each client repeats. */
const mixture: Step[] = [
  {
    operation: 'invokeAgent',
    call: (round, client) => ({
      headers: { 'Idempotency-Key': randomUUID() },
      body: { message: `Message ${round}`, context: { session_id: `session-${client}` } },
    }),
  },
  {
    operation: 'invokeAgent',
    call: (round) => ({
      headers: { 'Idempotency-Key': randomUUID(), Prefer: 'respond-async' },
      body: { message: `Message ${round}, for later` },
    }),
  },
  {
    operation: 'invokeAgent',
    call: (round) => ({
      headers: { Accept: 'text/event-stream' },
      body: { message: `Message ${round}, word by word` },
    }),
    ends: 'event: done',
  },
  { operation: 'listAgents', call: () => ({}) },
  { operation: 'getLogs', call: () => ({}) },
  { operation: 'searchMemory', call: () => ({ body: { query: 'message' } }) },
  {
    operation: 'createDeployment',
    call: (round, client) => ({
      body: { environment: `stage-${client}`, version: `1.${client}.${round}` },
    }),
  },
  { operation: 'listWebhooks', call: () => ({}) },
  { operation: 'getMetrics', call: () => ({ query: { metric: 'throughput' } }) },
];

const clients = 4;

export function startLoad(key: string): Load {
  const targets = new Set<string>();
  const ready = new Set<string>();
  const failures: string[] = [];
  const invoked: string[] = [];
  const accepted: string[] = [];
  let [done, isStopped] = [0, false as boolean];

  const balance = async () => {
    while (!isStopped) {
      for (const url of targets) {
        const status = await statusAt(`${url}/readyz`).catch(() => 0);
        if (status === 200 && targets.has(url)) ready.add(url);
        else ready.delete(url);
      }
      await delay(20);
    }
  };

  const client = async (number: number) => {
    for (let round = 0; !isStopped; round += 1) {
      const step = mixture[round % mixture.length];
      const urls = [...ready];
      const url = urls[round % urls.length];
      if (!step || url === undefined) {
        await delay(5);
        continue;
      }
      const { headers, ...call } = step.call(round, number);
      const answer = await send(url, step.operation, {
        path: { agent_id: 'echo' },
        ...call,
        headers: { authorization: `Bearer ${key}`, ...headers },
      }).then(
        async (response) => ({ status: response.status, text: await response.text() }),
        (error: unknown) => ({ status: 0, text: String(error) }),
      );
      const { status, text } = answer;
      if (status < 200 || status > 299 || !text.includes(step.ends ?? '')) {
        failures.push(`${step.operation}: ${status} ${text}`);
      } else if (step.operation === 'invokeAgent') {
        const [, id = ''] = /"request_id": ?"(\w+)"/.exec(text) ?? [];
        invoked.push(id);
        if (status === 202) accepted.push(id);
      }
      done += 1;
      await delay(5);
    }
  };

  const running = [balance(), ...Array.from({ length: clients }, (_, number) => client(number))];
  return {
    add: (url) => targets.add(url),
    remove: (url) => {
      targets.delete(url);
      ready.delete(url);
    },
    done: () => done,
    reached: (count) =>
      eventually(() => {
        if (done < count) throw new Error(`${done} of ${count} requests: ${failures[0] ?? ''}`);
      }, 120_000),
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
      return { failures, invoked, accepted };
    },
  };
}

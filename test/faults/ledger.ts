/**
 * Clients that write all the time and keep a ledger of what was acknowledged. A write that fails is repeated, on another
 * instance if there is one, until it is acknowledged, as a client with an SDK does.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, send } from '../helpers/api.js';
import type { Instance } from './instances.js';
import type { Random } from '../helpers/random.js';
import { type Write, type WriteKind, writeKinds } from './writes.js';

export interface LedgerOptions {
  instances: readonly Home[];
  key: string;
  /** An agent for each client. */
  agents: readonly string[];
  random: Random;
  /** Between two writes of a client. */
  pauseMs?: number;
}

type Home = Pick<Instance, 'url' | 'ends'>;

export interface Ledger {
  acknowledged: Write[];
  /** Answers that no fault explains, such as a 500. */
  surprises: string[];
  /** The longest time that a client could not write, in ms, since its connection was lost: if the instance that it asked was ended, and otherwise. */
  outage: { ended: number; other: number };
  /** Ends when every write that was begun is acknowledged. */
  close: () => Promise<void>;
}

/** Below that a write is slow, above it nobody was there. */
const slowMs = 3_000;
const attemptTimeoutMs = 20_000;
const retryMs = 50;
const expected = new Set([409, 503]);

export function openLedger(options: LedgerOptions): Ledger {
  const { instances, key, agents, random, pauseMs = 0 } = options;
  const ledger = {
    acknowledged: [] as Write[],
    surprises: [] as string[],
    outage: { ended: 0, other: 0 },
  };
  let isClosing = false;

  const anyInstance = () => {
    const running = instances.filter((instance) => instance.url() !== undefined);
    return running.length === 0 ? undefined : random.of(running);
  };

  const attempt = async (url: string, write: Write): Promise<'done' | 'refused' | 'lost'> => {
    const { operationId, call } = write.request;
    const headers = { authorization: `Bearer ${key}`, ...call.headers };
    try {
      const signal = AbortSignal.timeout(attemptTimeoutMs);
      const response = await send(url, operationId, { ...call, headers, signal } satisfies Call);
      const body: unknown = await response.json();
      if (response.ok) {
        write.acknowledge(body);
        ledger.acknowledged.push(write);
        return 'done';
      }
      if (!expected.has(response.status)) {
        ledger.surprises.push(`${operationId}: ${response.status} ${JSON.stringify(body)}`);
        return 'done';
      }
      return 'refused';
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      return isTimeout ? 'refused' : 'lost';
    }
  };

  const perform = async (write: Write, home: Home) => {
    let start = performance.now();
    let kind: keyof Ledger['outage'] = 'other';
    let failures = 0;
    for (; ; failures += 1) {
      // Its own instance first; after a failure any that runs.
      const isFirst = failures === 0 && home.url() !== undefined;
      const instance = isFirst ? home : (anyInstance() ?? home);
      const url = instance.url();
      const endsBefore = instance.ends();
      const outcome = url === undefined ? 'refused' : await attempt(url, write);
      if (outcome === 'done') break;
      if (url === undefined || instance.ends() > endsBefore) kind = 'ended';
      // One that was killed again with the instance that ran it is as good as new.
      if (outcome === 'lost') start = performance.now();
      await delay(retryMs);
    }
    const took = performance.now() - start;
    if (failures === 0 && took < slowMs) return;
    ledger.outage[kind] = Math.max(ledger.outage[kind], took);
  };

  const client = async (agent: string, index: number) => {
    const home = instances[index % instances.length];
    if (!home) throw new Error('There is no instance.');
    for (let temperature = 0; !isClosing; temperature += 1e-6) {
      const kind: WriteKind = random.of(writeKinds);
      await perform(
        kind({ id: randomUUID(), agent, client: `client-${index}`, temperature }),
        home,
      );
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const working = Promise.all(agents.map(client));

  return {
    ...ledger,
    close: async () => {
      isClosing = true;
      await working;
    },
  };
}

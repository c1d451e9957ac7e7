/**
 * Clients that write continuously and record each acknowledged write. A failed write is retried, on another instance if
 * there is one, until it is acknowledged, as an SDK client does.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, send } from '../helpers/service/api.js';
import type { Instance } from './instances.js';
import type { Random } from '../helpers/text/random.js';
import { type Write, type WriteKind, writeKinds } from './writes.js';

export interface LedgerOptions {
  instances: readonly ClientInstance[];
  key: string;
  /** One agent per client. */
  agents: readonly string[];
  random: Random;
  /** Has a client for each of these kinds. */
  runs?: { agent: string; kinds: readonly WriteKind[] };
  /** The pause between two writes of a client. */
  pauseMs?: number;
}

type ClientInstance = Pick<Instance, 'url' | 'ends'>;

export interface Ledger {
  acknowledged: Write[];
  /** Responses that no fault explains, such as a 500. */
  surprises: string[];
  /** The longest time in ms for which a client could not write: if its instance was stopped, and otherwise. */
  outage: { ended: number; other: number };
  /** Resolves when every started write is acknowledged. */
  close: () => Promise<void>;
}

/** A slower write counts as an outage. */
const slowMs = 3_000;
const attemptTimeoutMs = 20_000;
/** A plain run ends without its client. */
const longAttemptTimeoutMs = 300_000;
const retryMs = 50;
const expected = new Set([409, 503]);

export function openLedger(options: LedgerOptions): Ledger {
  const { instances, key, agents, random, runs, pauseMs = 0 } = options;
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
      const signal = AbortSignal.timeout(write.isLong ? longAttemptTimeoutMs : attemptTimeoutMs);
      const response = await send(url, operationId, { ...call, headers, signal } satisfies Call);
      const body: unknown = await response.json();
      if (response.ok) {
        write.acknowledge(body);
        ledger.acknowledged.push(write);
        return 'done';
      }
      if (!expected.has(response.status) || isFinal(body)) {
        ledger.surprises.push(`${operationId}: ${response.status} ${JSON.stringify(body)}`);
        return 'done';
      }
      return 'refused';
    } catch (error) {
      const isTimeout = error instanceof Error && error.name === 'TimeoutError';
      return isTimeout ? 'refused' : 'lost';
    }
  };

  const perform = async (write: Write, ownInstance: ClientInstance) => {
    let start = performance.now();
    let kind: keyof Ledger['outage'] = 'other';
    let failures = 0;
    for (; ; failures += 1) {
      // Its own instance first; after a failure, any running instance.
      const isFirst = failures === 0 && ownInstance.url() !== undefined;
      const instance = isFirst ? ownInstance : (anyInstance() ?? ownInstance);
      const url = instance.url();
      const endsBefore = instance.ends();
      const outcome = url === undefined ? 'refused' : await attempt(url, write);
      if (outcome === 'done') break;
      if (url === undefined || instance.ends() > endsBefore) kind = 'ended';
      // The outage is measured from the last lost attempt.
      if (outcome === 'lost') start = performance.now();
      await delay(retryMs);
    }
    if (write.isLong) return;
    const took = performance.now() - start;
    if (failures === 0 && took < slowMs) return;
    ledger.outage[kind] = Math.max(ledger.outage[kind], took);
  };

  const client = async (agent: string, index: number, kinds = writeKinds) => {
    const ownInstance = instances[index % instances.length];
    if (!ownInstance) throw new Error('There is no instance.');
    for (let temperature = 0; !isClosing; temperature += 1e-6) {
      const kind: WriteKind = random.of(kinds);
      await perform(
        kind({ id: randomUUID(), agent, client: `client-${index}`, temperature }),
        ownInstance,
      );
      if (pauseMs > 0) await delay(pauseMs);
    }
  };
  const working = Promise.all([
    ...agents.map((agent, index) => client(agent, index)),
    ...(runs?.kinds ?? []).map((kind, index) => client(runs?.agent ?? '', index, [kind])),
  ]);

  return {
    ...ledger,
    close: async () => {
      isClosing = true;
      await working;
    },
  };
}

const isFinal = (body: unknown) =>
  (body as { error?: { retryable?: boolean } }).error?.retryable === false;

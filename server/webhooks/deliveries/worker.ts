/** Delivers events to webhooks: claims due deliveries, account by account, attempts them and records the results. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { createWakeUp } from '../../lib/async/wake-up.js';
import { messageOf } from '../../lib/errors/error-code.js';
import type { DirectConnection } from '../../postgres/direct-connection.js';
import { type Lease, type LeaseLoop, startLeaseLoop } from '../../postgres/lease-loop.js';
import { listen } from '../../postgres/listen.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { type AttemptParts, createAttempt } from './attempt.js';
import {
  claimDeliveries,
  type ClaimedDelivery,
  deliveryChannel,
  findDueReceivers,
  releaseLeases,
  renewLeases,
} from './queue.sql.js';
import { defaultLimits, type Limits, Receivers } from './receivers.js';
import { createResultWriter } from './results.js';

export interface DeliveryWorkerOptions extends AttemptParts {
  direct: DirectConnection;
  limits?: Limits;
  /** How long a crashed worker's deliveries stay claimed. */
  leaseMs?: number;
  pollMs?: number;
}

interface Infrastructure extends Pick<DeliveryWorkerOptions, 'database' | 'direct' | 'secrets'> {
  /** Waits for a database that does not accept connections yet. */
  untilReady: <Result>(connect: () => Promise<Result>) => Promise<Result>;
}

/** In the service or in a worker process. */
export async function startDeliveries(
  config: Config,
  { database, direct, untilReady, secrets }: Infrastructure,
  telemetry: Telemetry,
  log: Logger,
): Promise<LeaseLoop> {
  const options: DeliveryWorkerOptions = {
    database,
    direct,
    secrets,
    targets: { allowPrivate: config.allowPrivateTargets },
    ca: await readCaFile(config.webhooks.caFile),
    limits: { ...defaultLimits, perHost: config.webhooks.hostConcurrency },
    telemetry,
    onError: (error) => {
      log.warn({ err: error }, 'delivering events failed');
    },
  };
  return untilReady(() => startDeliveryWorker(options));
}

async function readCaFile(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`WEBHOOK_CA_FILE cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`WEBHOOK_CA_FILE must contain certificates in PEM format, but ${file} has none.`);
}

/** Most scans read only the deliveries that became due last. */
const scanLimit = 1_000;
/** How often a scan reads all due deliveries, to find older ones that became due while every worker was down. */
const fullScanEveryMs = 10_000;

const keyOf = ({
  eventId,
  webhookId,
  owner,
}: Pick<ClaimedDelivery, 'eventId' | 'webhookId' | 'owner'>) => `${eventId} ${webhookId} ${owner}`;

export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<LeaseLoop> {
  const { database, onError, limits = defaultLimits, leaseMs = 8_000, pollMs = 2_000 } = options;
  const write = createResultWriter(database, onError);
  const attempt = createAttempt(options);
  const wakeUp = createWakeUp();
  const receivers = new Receivers(limits);

  let isScanRequested = true;
  const requestScan = () => {
    isScanRequested = true;
    wakeUp.wake();
  };
  let lastScanAt = -Infinity;
  let lastFullScanAt = -Infinity;

  const scanIfNeeded = async () => {
    const now = performance.now();
    if (!isScanRequested && now - lastScanAt < pollMs) return;
    // Reset before the query, so that a notification during the query leads to another scan.
    isScanRequested = false;
    const isFull = now - lastFullScanAt >= fullScanEveryMs;
    try {
      receivers.add(await findDueReceivers(database, isFull ? null : scanLimit));
    } catch (error) {
      isScanRequested = true;
      throw error;
    }
    lastScanAt = now;
    if (isFull) lastFullScanAt = now;
  };

  const claim = async () => {
    await scanIfNeeded();
    const turn = receivers.nextTurn();
    if (!turn) return { items: [], more: false };
    const items = await claimDeliveries(database, { ...turn, owner: randomUUID(), leaseMs });
    receivers.endTurn(turn, items);
    return { items, more: true };
  };

  const work = async (delivery: ClaimedDelivery, lease: Lease) => {
    const release = receivers.begin(delivery);
    try {
      const result = await attempt(delivery, lease.signal);
      // Recording the result releases the lease; a shutdown must not release the delivery in the meantime.
      lease.detach();
      if (result) await write(result);
    } finally {
      release();
      wakeUp.wakeSoon();
    }
  };

  const listener = await listen({
    ...options.direct,
    channels: { [deliveryChannel]: requestScan },
    onReset: requestScan,
    onError,
  });
  const loop = startLeaseLoop<ClaimedDelivery>({
    claim,
    keyOf,
    work,
    renew: async (deliveries) =>
      new Set((await renewLeases(database, deliveries, leaseMs)).map(keyOf)),
    release: (deliveries) => releaseLeases(database, deliveries),
    onError,
    onLost: () => options.telemetry?.leaseLost('delivery'),
    wakeUp,
    pollMs,
    renewEveryMs: leaseMs / 4,
  });
  return {
    stop: async (gracePeriodMs) => {
      await Promise.all([loop.stop(gracePeriodMs), listener.close()]);
    },
  };
}

/** Starts delivering events to webhooks, in the service or in a worker process. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { LeaseLoop } from '../../postgres/lease-loop.js';
import type { Config } from '../../config/config.js';
import { defaultLimits } from './receivers.js';
import { type DeliveryWorkerOptions, startDeliveryWorker } from './worker.js';
import { messageOf } from '../../lib/errors/error-code.js';
import type { Telemetry } from '../../telemetry/telemetry.js';

interface Infrastructure extends Pick<DeliveryWorkerOptions, 'database' | 'direct' | 'secrets'> {
  /** Waits for a database that does not accept connections yet. */
  untilReady: <Result>(connect: () => Promise<Result>) => Promise<Result>;
}

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

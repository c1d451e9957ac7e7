/** The delivery of events, as the configuration wants it: inside the service, or in a process of its own. */
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { startDeliveryWorker, type DeliveryWorker } from '../delivery/worker.js';
import type { Infrastructure } from './infrastructure.js';
import { messageOf } from '../lib/error-code.js';
import type { TargetPolicy } from '../lib/target-address.js';

/** Where webhooks may lead. */
export function webhookTargets({ allowPrivateTargets, webhooks }: Config): TargetPolicy {
  return { allowPrivate: allowPrivateTargets, ports: webhooks.ports };
}

export async function startDeliveries(
  config: Config,
  { database, directUrl, secrets }: Infrastructure,
  log: Logger,
): Promise<DeliveryWorker> {
  return startDeliveryWorker({
    database,
    directUrl,
    secrets,
    targets: webhookTargets(config),
    ca: await readCertificates(config.webhooks.caFile),
    onError: (error) => {
      log.warn({ err: error }, 'delivering events failed');
    },
  });
}

async function readCertificates(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`WEBHOOK_CA_FILE cannot be read: ${messageOf(cause)}`, { cause });
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`WEBHOOK_CA_FILE must hold certificates in PEM; there is none in ${file}.`);
}

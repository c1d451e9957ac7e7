/** Signs a delivery with both schemes of the contract, so that receivers can verify either. */
import { createHmac } from 'node:crypto';

export interface Signable {
  /** The event's id. */
  id: string;
  /** Time of the attempt, in Unix seconds. */
  timestamp: number;
  body: Uint8Array;
}

/** `secret` includes its prefix. `x-service-signature` is keyed with that text, Standard Webhooks with the decoded bytes. */
export function signatureHeaders(
  secret: string,
  { id, timestamp, body }: Signable,
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const standard = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${standard.digest('base64')}`,
  };
}

/** Signs a delivery in both ways that the contract promises, so that receivers can choose how to verify it. */
import { createHmac } from 'node:crypto';

export interface Signable {
  /** The event's id. */
  id: string;
  /** When this attempt is made, in Unix seconds. */
  timestamp: number;
  body: Uint8Array;
}

/** `secret` is the whole of what was shown: the one signature is keyed with that text, the other with the bytes it encodes. */
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

/** Formats webhook events and the outcome of forwarding them. */
import type { WebhookEvent } from '../src/index.js';
import type { Line } from './terminal.js';
import { oneLine } from './text.js';
import type { Forwarding } from './webhook-forwarder.js';

export function eventLine(event: WebhookEvent): Line {
  const { created_at, type, data } = event;
  const isSuccess = type === 'agent.completed';
  const text = isSuccess
    ? event.data.response
    : `${event.data.error.code}: ${event.data.error.message}`;
  return [
    { style: 'dim', text: created_at },
    '  ',
    { style: isSuccess ? 'green' : 'red', text: type },
    `  ${oneLine(text)}  `,
    { style: 'dim', text: data.request_id },
  ];
}

export function forwardingLine(
  { status, error, durationMs }: Forwarding,
  { data }: WebhookEvent,
): Line {
  const isAccepted = error === undefined && status >= 200 && status < 300;
  const outcome = error === undefined ? `${status} in ${durationMs} ms` : `failed: ${error}`;
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return [
    '  → ',
    { style: isAccepted ? 'green' : 'red', text: oneLine(outcome) },
    isAccepted ? '  ' : `${redirect}; the service will try again  `,
    { style: 'dim', text: data.request_id },
  ];
}

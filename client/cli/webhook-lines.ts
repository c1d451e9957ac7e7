/** Formats webhook events and the outcome of forwarding them. */
import type { WebhookEvent } from '../src/index.js';
import type { Style } from './styled-line.js';
import type { Line } from './terminal.js';
import { oneLine } from './text.js';
import type { Forwarding } from './webhook-forwarder.js';

const styles: Record<WebhookEvent['type'], Style> = {
  'agent.completed': 'green',
  'agent.failed': 'red',
  'agent.paused': 'yellow',
};

export function eventLine(event: WebhookEvent): Line {
  const { created_at, type, data } = event;
  const text = describe(event);
  return [
    { style: 'dim', text: created_at },
    '  ',
    { style: styles[type], text: type },
    `  ${oneLine(text)}  `,
    { style: 'dim', text: data.request_id },
  ];
}

function describe(event: WebhookEvent): string {
  if (event.type === 'agent.failed') return `${event.data.error.code}: ${event.data.error.message}`;
  if (event.type === 'agent.completed') return event.data.response;
  const { response, approvals } = event.data;
  const calls = approvals.map(({ tool, call_id }) => `${tool} (${call_id})`);
  return `${response} Waits for approval: ${calls.join(', ')}`;
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

/** Turns what the service reports of its work into metrics and spans. */
import type { Telemetry } from '../lib/telemetry.js';
import { observeDeliveries } from './delivery-scopes.js';
import type { Instruments } from './instruments.js';
import { observeInvocations } from './invocation-scopes.js';
import { observeRequests } from './request-scopes.js';
import type { Spans } from './spans.js';

/** Either may be undefined: then there are none of them. */
export function createTelemetry(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): Telemetry {
  return {
    request: observeRequests(instruments, spans),
    invocation: observeInvocations(instruments, spans),
    delivery: observeDeliveries(instruments, spans),
    leaseLost: (kind) => instruments?.leasesLost.inc({ kind }),
  };
}

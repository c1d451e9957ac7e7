/** Turns reported work into metrics and spans, either of which may be off. */
import type { Telemetry } from './telemetry.js';
import { observeDeliveries } from './deliveries.js';
import type { Instruments } from './instruments.js';
import { observeInvocations } from './invocations.js';
import { createRequestObserver } from './requests.js';
import type { Tracing } from './spans.js';

export function createTelemetry(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
): Telemetry {
  return {
    request: createRequestObserver(instruments, tracing),
    invocation: observeInvocations(instruments, tracing),
    delivery: observeDeliveries(instruments, tracing),
    leaseLost: (kind) => instruments?.leasesLost.inc({ kind }),
    task: (task) => {
      // 0 means that the task has not succeeded yet.
      instruments?.taskSucceeded.set({ task }, 0);
      return () => instruments?.taskSucceeded.setToCurrentTime({ task });
    },
  };
}

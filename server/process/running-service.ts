/** A running service, in one or several processes. */
import type { Setup } from './first-start.js';

export interface RunningService extends Setup {
  url: string;
  /** Undefined unless METRICS_PORT is set. */
  metricsUrl: string | undefined;
  /** Announces the shutdown, finishes requests in flight within the grace period, and releases all resources. */
  stop: () => Promise<void>;
}

/** A running service, in one or several processes. */
import type { FirstKey } from './first-start.js';

export interface RunningService {
  url: string;
  /** Undefined unless METRICS_PORT is set. */
  metricsUrl: string | undefined;
  /** The key that the first start created; undefined on later starts. */
  firstKey: FirstKey | undefined;
  /** Announces the shutdown, finishes requests in flight within the grace period, and releases all resources. */
  stop: () => Promise<void>;
}

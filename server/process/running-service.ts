/** A running service, in one process or in several. */
import type { FirstKey } from './first-start.js';

export interface RunningService {
  url: string;
  /** Undefined unless metrics have a listener of their own. */
  metricsUrl: string | undefined;
  /** The key that the first start created; undefined on later starts. */
  firstKey: FirstKey | undefined;
  /** Announces the end, finishes requests in flight within the configured grace period, and releases all resources. */
  stop: () => Promise<void>;
}

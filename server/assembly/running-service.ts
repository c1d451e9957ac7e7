/** A service that runs, in this process or in several. */
import type { Metrics } from '../observability/metrics.js';
import type { FirstKey } from './first-start.js';

export interface RunningService {
  url: string;
  /** Where metrics have a listener of their own. */
  metricsUrl: string | undefined;
  /** The key that the first start created; undefined on later starts. */
  firstKey: FirstKey | undefined;
  /** Announces the end, finishes requests in flight within the configured grace period, and releases all resources. */
  stop: () => Promise<void>;
}

/** One process that serves requests. */
export interface RunningInstance extends RunningService {
  /** Of this process; undefined if there are none. */
  metrics: Metrics | undefined;
  /** Like `stop`, for an instance whose successor listens on the same port: load balancers are told nothing. */
  handOver: () => Promise<void>;
}

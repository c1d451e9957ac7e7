/** Chooses where rate limits are counted: in this process, or in the database that all instances share. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { withLocalFallback } from '../http/steps/rate-limit.js';
import { createMemoryBuckets, type RateBuckets } from '../lib/token-bucket.js';
import type { Database } from '../store/postgres/database.js';
import { createRateBuckets } from '../store/accounts/rate-buckets.js';

export function chooseRateBuckets(
  { rateLimitStore }: Config,
  database: Database,
  log: Logger,
): RateBuckets {
  return rateLimitStore === 'memory'
    ? createMemoryBuckets()
    : withLocalFallback(createRateBuckets(database), log);
}

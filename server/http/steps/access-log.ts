/**
 * Logs one line per response: the request, its caller and the outcome, but never a header, body or query. Probes are logged at level
 * debug.
 */
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { createMemoryBuckets, type Limit } from '../../lib/async/token-bucket.js';
import { isProbe } from '../system-endpoints.js';
import { logFields } from '../../telemetry/telemetry.js';

/** No path of the contract is longer. The limit keeps unauthenticated clients from filling the disk. */
const maxPathLength = 256;

/** For all unauthenticated requests together. Authenticated ones are subject to their account's rate limit. */
const unauthenticatedLimit: Limit = { capacity: 1_000, refillPerSecond: 20 };

export function logAccess(log: Logger): RequestHandler {
  const buckets = createMemoryBuckets();
  let dropped = 0;
  return (req, res, next) => {
    const start = performance.now();
    res.once('close', () => {
      const { caller } = req;
      const level = isProbe(req.path) ? 'debug' : 'info';
      if (level === 'debug' && !log.isLevelEnabled('debug')) return;
      if (!caller && !buckets.take('unauthenticated', unauthenticatedLimit).allowed) {
        dropped += 1;
        return;
      }
      // The logger omits fields that are undefined.
      log[level](
        {
          ...logFields(req),
          method: req.method,
          path: req.path.slice(0, maxPathLength),
          status: res.statusCode,
          duration_ms: Math.round(performance.now() - start),
          account_id: caller?.accountId,
          caller: caller?.id,
          aborted: res.writableFinished ? undefined : true,
          dropped_before: dropped > 0 ? dropped : undefined,
        },
        'request',
      );
      dropped = 0;
    });
    next();
  };
}

/** Logs one line per response: the request, its caller and the outcome. Never a header, body or query. Probes are for level debug. */
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { createMemoryBuckets, type Limit } from '../../lib/async/token-bucket.js';
import { isProbe } from '../machine-endpoints.js';
import { logFields } from '../transport/request.js';

/** No path of the contract is longer; whatever strangers send must not fill the disk. */
const maxPathLength = 256;

/** For all requests without a caller together; those of callers are limited by their rates. */
const strangers: Limit = { capacity: 1_000, refillPerSecond: 20 };

export function logAccess(log: Logger): RequestHandler {
  const buckets = createMemoryBuckets();
  let dropped = 0;
  return (req, res, next) => {
    const start = performance.now();
    res.once('close', () => {
      const { caller } = req;
      const isForDebugging = isProbe(req.path);
      if (isForDebugging && !log.isLevelEnabled('debug')) return;
      if (!caller && !buckets.take('strangers', strangers).allowed) {
        dropped += 1;
        return;
      }
      // Fields without a value are left out of the line.
      log[isForDebugging ? 'debug' : 'info'](
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

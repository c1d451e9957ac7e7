/** Logs one line per response: the request, its caller and the outcome. Never a header, body or query. */
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** No path of the contract is longer; whatever strangers send must not fill the disk. */
const maxPathLength = 256;

export function logAccess(log: Logger): RequestHandler {
  return (req, res, next) => {
    const start = performance.now();
    res.once('close', () => {
      const { caller } = req;
      log.info(
        {
          request_id: req.requestId,
          method: req.method,
          path: req.path.slice(0, maxPathLength),
          status: res.statusCode,
          duration_ms: Math.round(performance.now() - start),
          ...(caller ? { account_id: caller.accountId, caller: caller.id } : {}),
          ...(res.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

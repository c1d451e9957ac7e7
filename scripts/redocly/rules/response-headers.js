/** Each response must declare the headers that the service sends with its status. */

import { eachOperation, responsesOf } from '../contract.js';

const rateLimit = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** @type {Record<string, string[]>} */
const byStatus = {
  // Before authentication there is no account, and therefore no rate limit to report.
  401: ['X-Request-Id', 'WWW-Authenticate'],
  405: ['X-Request-Id', 'Allow'],
  429: ['X-Request-Id', ...rateLimit, 'Retry-After'],
  503: ['X-Request-Id', ...rateLimit, 'Retry-After'],
};
const otherwise = ['X-Request-Id', ...rateLimit];

export function responseHeaders() {
  return eachOperation((visit) => {
    for (const { key: status, node, location } of responsesOf(visit)) {
      const declared = Object.keys(node.headers ?? {});
      const missing = (byStatus[status] ?? otherwise).filter((name) => !declared.includes(name));
      if (missing.length > 0) {
        visit.ctx.report({
          message: `The response ${status} does not declare ${missing.join(', ')}; refer to the files in headers/.`,
          location,
        });
      }
    }
  });
}

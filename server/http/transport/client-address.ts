/** What a connection tells of the client, with proxies in between: believed only if the peer is a configured proxy. */
import type { Networks } from '../../lib/networks.js';
import type { StepRequest } from './request.js';

/** Whether the other end of the connection is a proxy whose headers are believed. */
export function isFromProxy({ socket }: StepRequest, proxies: Networks): boolean {
  return proxies.includes(socket.remoteAddress);
}

/** As Express finds it with the same proxies: the last address in X-Forwarded-For that is none of theirs. */
export function clientAddress({ ip }: StepRequest): string | undefined {
  return ip;
}

/** Whether the client's own connection is encrypted, be it to this server or to the proxy in front of it. */
export function isHttps(req: StepRequest, proxies: Networks): boolean {
  const told = isFromProxy(req, proxies) ? req.headers['x-forwarded-proto'] : undefined;
  if (told === undefined) return 'encrypted' in req.socket && req.socket.encrypted === true;
  // A proxy that adds to what the client sent, instead of replacing it, leaves more than one; then all must agree.
  return [told]
    .flat()
    .join(',')
    .split(',')
    .every((protocol) => protocol.trim().toLowerCase() === 'https');
}

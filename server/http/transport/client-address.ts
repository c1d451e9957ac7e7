/** Determines the client's address and protocol. Forwarded headers count only if the peer is a trusted proxy. */
import type { Networks } from '../../lib/net/networks.js';
import type { StepRequest } from './request.js';

export function isFromProxy({ socket }: Pick<StepRequest, 'socket'>, proxies: Networks): boolean {
  return proxies.includes(socket.remoteAddress);
}

/**
 * As Express derives it with `trust proxy`: the last address in X-Forwarded-For that is not a trusted proxy. Undefined if a trusted proxy
 * names no client: its own address may be in a list that its clients are not in.
 */
export function clientAddress(
  req: Pick<StepRequest, 'ip' | 'ips' | 'socket'>,
  proxies: Networks,
): string | undefined {
  return isFromProxy(req, proxies) && req.ips.length === 0 ? undefined : req.ip;
}

/** Whether the client's own connection uses TLS, either to this server or to the proxy in front of it. */
export function isHttps(req: StepRequest, proxies: Networks): boolean {
  const forwarded = isFromProxy(req, proxies) ? req.headers['x-forwarded-proto'] : undefined;
  if (forwarded === undefined) return 'encrypted' in req.socket && req.socket.encrypted === true;
  // A proxy that appends to the client's header instead of replacing it sends several values; all of them must agree.
  return [forwarded]
    .flat()
    .join(',')
    .split(',')
    .every((protocol) => protocol.trim().toLowerCase() === 'https');
}

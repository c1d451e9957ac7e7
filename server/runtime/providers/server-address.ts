/** The host and port of a URL, as spans name them. */
import type { ServerAddress } from '../../observability/telemetry.js';

export function serverAddress(url: string): ServerAddress {
  const { hostname, port, protocol } = new URL(url);
  const usualPort = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usualPort : Number(port) };
}

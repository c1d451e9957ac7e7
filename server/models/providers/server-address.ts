/** The host and port of a URL, as attributes of spans. */
import type { ServerAddress } from '../observer.js';

export function serverAddress(url: string): ServerAddress {
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

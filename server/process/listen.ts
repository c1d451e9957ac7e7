/** Binds HTTP servers to the configured addresses. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Config } from '../config/config.js';
import { errorCode } from '../lib/errors/error-code.js';

interface ListenAddress {
  port: number;
  host: string;
  /** The environment variables that set them, for error messages. */
  variables: { port: string; host: string };
}

/** Binds the API server. Resolves to its URL on this machine. */
export function listen(server: Server, { port, host, tls }: Config): Promise<string> {
  const address = { port, host, variables: { port: 'PORT', host: 'HOST' } };
  return listenAt(server, address, tls ? 'https' : 'http');
}

/** Resolves to the URL of the server on this machine. */
export async function listenAt(
  server: Server,
  address: ListenAddress,
  scheme: 'http' | 'https' = 'http',
): Promise<string> {
  const { host } = address;
  await bind(server, address);
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function bind(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const explanation = explain(cause, address);
      reject(explanation === undefined ? cause : new Error(explanation, { cause }));
    });
    server.listen(address.port, address.host, resolve);
  });
}

function explain(cause: unknown, { port, host, variables }: ListenAddress): string | undefined {
  switch (errorCode(cause)) {
    case 'EADDRINUSE':
      return `Port ${port} is in use on ${host}. Set ${variables.port} to another one, or stop the process that listens there.`;
    case 'EACCES':
      return (
        `This user may not listen on port ${port}: ports below 1024 are for administrators. Set ${variables.port} to 1024 or higher, ` +
        `with a proxy in front of it, or allow it: sudo setcap cap_net_bind_service=+ep ${process.execPath}`
      );
    case 'EADDRNOTAVAIL':
      return (
        `${variables.host} is ${host}, which is not an address of this machine. Set it to one of them (${ownAddresses().join(', ')}), ` +
        'to 0.0.0.0 for all of them, or leave it unset to accept connections from this machine only.'
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${variables.host} is ${host}, a name that this machine cannot resolve. Set it to an address, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return undefined;
  }
}

function ownAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  // Link-local addresses need a scope id to listen on.
  return addresses.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address);
}

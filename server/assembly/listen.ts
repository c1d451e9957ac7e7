/** Binds the HTTP server to the configured address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Config } from '../config/config.js';
import { errorCode } from '../lib/error-code.js';

/** Resolves to the URL under which this machine reaches the server. */
export async function listen(server: Server, config: Config): Promise<string> {
  const { host } = config;
  await bind(server, config);
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${config.tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function bind(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const explanation = explain(cause, port, host);
      reject(explanation === undefined ? cause : new Error(explanation, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function explain(cause: unknown, port: number, host: string): string | undefined {
  switch (errorCode(cause)) {
    case 'EADDRINUSE':
      return `Port ${port} is in use on ${host}. Set PORT to another one, or stop what listens there.`;
    case 'EACCES':
      return (
        `This user may not listen on port ${port}: ports below 1024 are for administrators. Set PORT to 1024 or higher, ` +
        `with a proxy in front of it, or allow it: sudo setcap cap_net_bind_service=+ep ${process.execPath}`
      );
    case 'EADDRNOTAVAIL':
      return (
        `HOST is ${host}, which is not an address of this machine. Set it to one of them (${ownAddresses().join(', ')}), ` +
        'to 0.0.0.0 for all of them, or leave it out to be reached from this machine only.'
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST is ${host}, a name that this machine does not know. Set it to an address, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return undefined;
  }
}

function ownAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  // Those of a link alone cannot be listened on without its name.
  return addresses.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address);
}

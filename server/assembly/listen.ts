/** Binds the HTTP server to the configured address. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/config.js';

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
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `Port ${port} is in use on ${host}. Set PORT to another one, or stop what listens there.`,
            )
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}

/** Prints the URL of a bare server once it listens; the process that started it waits for that line. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export function announceWhenReady(server: Server): void {
  server.once('listening', () => {
    const { port } = server.address() as AddressInfo;
    console.log(`ready at http://127.0.0.1:${port}`);
  });
}

/** A page of somebody else's that imports the package as it is, without a bundler. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

export interface PageServer {
  port: number;
  stop: () => Promise<void>;
}

const imports = {
  '@agent-hosting/client': '/node_modules/@agent-hosting/client/dist/index.js',
  'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
};

/** Calls the service that its address names, and shows what came of it. */
const program = `
  import { agentHosting, ConnectionError, NotFoundError } from '@agent-hosting/client';

  const client = agentHosting(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  const seen = { pieces: [], agents: [] };
  try {
    const stream = client.agents.invoke('echo', { message: 'Hello from a page' }, { stream: true });
    for await (const { text } of stream) seen.pieces.push(text);
    seen.result = (await stream.result()).response;
    for await (const { name } of client.agents.list()) seen.agents.push(name);
    await client.agents.get('nobody');
  } catch (error) {
    seen.isNotFound = error instanceof NotFoundError;
    seen.isRefused = error instanceof ConnectionError;
    seen.requestId = error.requestId;
  }
  document.querySelector('output').textContent = JSON.stringify(seen);`;

const page = `<!doctype html>
<title>A page</title>
<output></output>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">${program}</script>`;

export async function startPageServer(folder: string): Promise<PageServer> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (name === '/') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      return;
    }
    readFile(path.join(folder, name)).then(
      (bytes) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

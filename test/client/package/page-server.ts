/** A web page that imports the package without a bundler. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type HttpServer, startHttpServer } from '../../helpers/servers/http-server.js';

const imports = {
  '@agent-hosting/client': '/node_modules/@agent-hosting/client/dist/index.js',
  'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
};

/** Calls the service that the URL names, and prints the outcome. */
const program = `
  import { agentHosting, ConnectionError, NotFoundError } from '@agent-hosting/client';

  const client = agentHosting(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
  const seen = { text: '', agents: [] };
  try {
    const stream = client.agents.invoke('echo', { message: 'Hello from a page' }, { stream: true });
    for await (const { text } of stream) seen.text += text;
    seen.result = (await stream.result()).response;
    for await (const { name } of client.agents.list()) seen.agents.push(name);
    await client.agents.get('missing');
  } catch (error) {
    seen.isNotFound = error instanceof NotFoundError;
    seen.isConnectionError = error instanceof ConnectionError;
    seen.requestId = error.requestId;
  }
  document.querySelector('output').textContent = JSON.stringify(seen);`;

const page = `<!doctype html>
<title>A page</title>
<output></output>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">${program}</script>`;

export function startPageServer(folder: string): Promise<HttpServer> {
  return startHttpServer((request, response) => {
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
}

/** A trace collector that accepts and discards everything. */
import { createServer } from 'node:http';
import { listen } from '../lib/servers.js';

await listen(
  createServer((req, res) => {
    req.resume();
    req.once('end', () => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }),
);

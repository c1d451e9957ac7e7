/** A collector of traces that accepts everything and keeps nothing. */
import { createServer } from 'node:http';
import { announceWhenReady } from '../lib/ready.js';

const server = createServer((req, res) => {
  req.resume();
  req.once('end', () => res.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
announceWhenReady(server);
server.listen(0, '127.0.0.1');

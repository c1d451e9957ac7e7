/**
 * A hostile webhook receiver and `http/` agent, as a program: the last part of a URL names what it sends, as fast as the
 * service reads it.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { giveWay } from './give-way.js';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;

interface Response {
  start: string;
  /** Follows without end; without it, the response is complete. */
  piece?: string;
  everyMs?: number;
}

const responses: Record<string, Response> = {
  nothing: { start: 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n' },
  informational: { start: '', piece: 'HTTP/1.1 103 \r\n\r\n'.repeat(2_000) },
  chunks: { start: chunked, piece: '1\r\nx\r\n'.repeat(5_000) },
  extensions: { start: chunked, piece: `1;${'x'.repeat(1_000)}\r\nx\r\n`.repeat(30) },
  headers: { start: 'HTTP/1.1 200 OK\r\n', piece: 'a:b\r\n'.repeat(5_000) },
  bodies: { start: `${head}content-length: 1000000\r\n\r\n`, piece: 'x', everyMs: 10 },
};

function respond(socket: Socket, { start, piece, everyMs }: Response): void {
  if (piece === undefined) {
    socket.end(start);
    return;
  }
  socket.write(start);
  if (everyMs !== undefined) {
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.once('close', () => {
      clearInterval(timer);
    });
    return;
  }
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', write);
  write();
}

giveWay();
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (request: Buffer) => {
    const [, name = ''] = /^POST \/(\w+) /.exec(request.toString('latin1')) ?? [];
    const response = responses[name];
    if (response) respond(socket, response);
    else socket.destroy();
    // The rest of the request.
    socket.resume();
  });
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`receiver at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

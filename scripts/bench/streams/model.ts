/**
 * The model of the streams benchmark, as an agent of one's own: streams the time at which it sends each delta. The message says
 * how many deltas to send, and with how many milliseconds between them.
 */
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { announceWhenReady } from '../lib/ready.js';
import { monotonicMs, type Script, timestamp } from './timestamps.js';

async function answer(res: ServerResponse, { deltas, everyMs }: Script): Promise<void> {
  const send = (event: string, data: object) =>
    res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let count = 0; count < deltas && !res.destroyed; count += 1) {
    if (count > 0 && everyMs > 0) await delay(everyMs);
    send('delta', { text: timestamp(monotonicMs()) });
  }
  send('done', { tokens_used: deltas });
  res.end();
}

const server = createServer((req, res) => {
  void json(req).then(async (body) => {
    const { message } = body as { message: string };
    await answer(res, JSON.parse(message) as Script);
  });
});
announceWhenReady(server);
server.listen(0, '127.0.0.1');

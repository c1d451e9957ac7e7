/** The agent of the streams benchmark: streams deltas at an interval. The message sets their number and the interval. */
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../lib/servers.js';

export interface Script {
  deltas: number;
  everyMs: number;
}

async function answer(res: ServerResponse, { deltas, everyMs }: Script): Promise<void> {
  const send = (event: string, data: object) =>
    res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let count = 0; count < deltas && !res.destroyed; count += 1) {
    if (count > 0 && everyMs > 0) await delay(everyMs);
    send('delta', { text: `word ${count} ` });
  }
  send('done', { tokens_used: deltas });
  res.end();
}

await listen(
  createServer((req, res) => {
    void json(req).then((body) =>
      answer(res, JSON.parse((body as { message: string }).message) as Script),
    );
  }),
);

/** A webhook receiver that responds at once. `GET /` returns the deliveries since the last call. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../lib/servers.js';

/** Times in milliseconds. */
export interface Arrivals {
  at: number[];
  /** From the creation of each event to its arrival. */
  latencies: number[];
}

let arrivals: Arrivals = { at: [], latencies: [] };

await listen(
  createServer((req, res) => {
    if (req.method === 'GET') {
      res.end(JSON.stringify(arrivals));
      arrivals = { at: [], latencies: [] };
      return;
    }
    const now = Date.now();
    void json(req).then((event) => {
      const { created_at: createdAt } = event as { created_at: string };
      arrivals.at.push(now);
      arrivals.latencies.push(now - Date.parse(createdAt));
      res.writeHead(204).end();
    });
  }),
);

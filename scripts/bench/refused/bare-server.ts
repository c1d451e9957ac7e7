/**
 * The baseline of refused requests: express that answers a fixed JSON. Argument: the answers as JSON, each at the path of its
 * number. It reads a body, since nobody could refuse one unread.
 */
import express from 'express';
import { announceWhenReady } from '../lib/ready.js';

export interface Answer {
  status: number;
  body: unknown;
}

const answers = JSON.parse(process.argv[2] ?? '') as Answer[];
const app = express();
answers.forEach(({ status, body }, index) => {
  const answer: express.RequestHandler = (_req, res) => {
    res.status(status).json(body);
  };
  app.get(`/${index}`, answer);
  app.post(`/${index}`, express.json(), answer);
});
announceWhenReady(app.listen(0, '127.0.0.1'));

/** The baseline of the invoke benchmark: express and one durable INSERT per request. Argument: the database's URL. */
import express from 'express';
import pg from 'pg';
import { announceWhenReady } from '../lib/ready.js';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });
const insert = { name: 'insert', text: 'INSERT INTO bare (message) VALUES ($1) RETURNING id' };

const app = express();
app.use(express.json());
app.post('/', async (req: express.Request<unknown, unknown, { message: string }>, res) => {
  const { rows } = await pool.query<{ id: string }>({ ...insert, values: [req.body.message] });
  res.json({ success: true, data: { response: req.body.message, id: rows[0]?.id } });
});

await pool.query(`
  CREATE TABLE IF NOT EXISTS bare (
    id bigserial PRIMARY KEY, message text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
  )`);
announceWhenReady(app.listen(0, '127.0.0.1'));

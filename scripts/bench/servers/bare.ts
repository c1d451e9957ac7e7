/**
 * The baseline: express and pg, with one durable INSERT per invocation, and the queries and the JSON of Get Agent and List
 * Agents. It has no authentication, validation, limits or log. Argument: the URL of its database.
 */
import { createServer } from 'node:http';
import express from 'express';
import pg from 'pg';
import { listen } from '../lib/servers.js';

const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });

interface Row {
  id: string;
  name: string;
  status: string;
  model: string;
  temperature: number;
  activeDeploymentId: string | null;
  createdAt: Date;
  updatedAt: Date;
}

const insertMessage = {
  name: 'insert_message',
  text: 'INSERT INTO messages (message) VALUES ($1) RETURNING id',
};
const getAgent = {
  name: 'get_agent',
  text: `SELECT a.id, a.name, a.status, a.model, a.temperature, d.id AS "activeDeploymentId",
                a.created_at AS "createdAt", a.updated_at AS "updatedAt"
           FROM agents a
           LEFT JOIN deployments d ON d.agent_id = a.id AND d.environment = 'production' AND d.status = 'active'
          WHERE a.account_id = $1 AND a.id = $2`,
};
const listAgents = {
  name: 'list_agents',
  text: `SELECT id, name, status, created_at AS "createdAt" FROM agents
          WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`,
};
const countAgents = {
  name: 'count_agents',
  text: 'SELECT count(*)::int AS total FROM agents WHERE account_id = $1',
};

await pool.query(`
  CREATE TABLE messages (
    id bigserial PRIMARY KEY, message text NOT NULL, created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE agents (
    account_id text, id text, name text, status text DEFAULT 'active', model text DEFAULT 'builtin/echo',
    temperature float8 DEFAULT 0.7, created_at timestamptz DEFAULT now(), updated_at timestamptz DEFAULT now(),
    PRIMARY KEY (account_id, id)
  );
  CREATE INDEX ON agents (account_id, created_at, id);
  CREATE TABLE deployments (id text PRIMARY KEY, agent_id text, environment text, status text);
  CREATE INDEX ON deployments (agent_id);
  INSERT INTO agents (account_id, id, name) SELECT 'account', 'agent-' || n, 'agent-' || n FROM generate_series(0, 49) AS n;
  ANALYZE`);

const app = express();
app.use(express.json());

app.post('/', async (req: express.Request<unknown, unknown, { message: string }>, res) => {
  const { message } = req.body;
  const { rows } = await pool.query<{ id: string }>({ ...insertMessage, values: [message] });
  res.json({ success: true, data: { response: message, id: rows[0]?.id } });
});

app.get('/agents', async (_req, res) => {
  const [limit, offset] = [10, 0];
  const [items, counted] = await Promise.all([
    pool.query<Row>({ ...listAgents, values: ['account', limit, offset] }),
    pool.query<{ total: number }>({ ...countAgents, values: ['account'] }),
  ]);
  const total = counted.rows[0]?.total ?? 0;
  res.json({
    data: items.rows.map(({ id, name, status, createdAt }) => ({
      id,
      name,
      status,
      created_at: createdAt.toISOString(),
    })),
    pagination: { limit, offset, total, has_more: offset + items.rows.length < total },
  });
});

app.get('/agents/:id', async (req, res) => {
  const { rows } = await pool.query<Row>({ ...getAgent, values: ['account', req.params.id] });
  const [agent] = rows;
  if (!agent) {
    res.status(404).json({ success: false });
    return;
  }
  const { activeDeploymentId, createdAt, updatedAt, ...shown } = agent;
  res.json({
    success: true,
    data: {
      ...shown,
      active_deployment_id: activeDeploymentId,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    },
  });
});

await listen(createServer(app));

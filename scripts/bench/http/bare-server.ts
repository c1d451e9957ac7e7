/** The baseline of the http benchmark: express and pg only, with the same queries and responses. */
import express from 'express';
import pg from 'pg';
import { announceWhenReady } from '../lib/ready.js';

const [, , connectionString, accountId] = process.argv;
const pool = new pg.Pool({ connectionString, max: 20 });

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

const app = express();

app.get('/agents', async (_req, res) => {
  const [limit, offset] = [10, 0];
  const [items, counted] = await Promise.all([
    pool.query<Row>({ ...listAgents, values: [accountId, limit, offset] }),
    pool.query<{ total: number }>({ ...countAgents, values: [accountId] }),
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
  const { rows } = await pool.query<Row>({ ...getAgent, values: [accountId, req.params.id] });
  const [agent] = rows;
  if (!agent) {
    res.status(404).json({ success: false });
    return;
  }
  res.json({
    success: true,
    data: {
      id: agent.id,
      name: agent.name,
      status: agent.status,
      model: agent.model,
      temperature: agent.temperature,
      active_deployment_id: agent.activeDeploymentId,
      created_at: agent.createdAt.toISOString(),
      updated_at: agent.updatedAt.toISOString(),
    },
  });
});

announceWhenReady(app.listen(0, '127.0.0.1'));

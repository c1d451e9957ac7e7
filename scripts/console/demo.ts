/** Runs the service with demo data and an HTTP agent. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { agentHosting } from '../../client/src/index.js';
import { parseContract } from '../lib/contract.js';
import { inProject } from '../lib/project.js';
import { startStatefulMock } from '../mock/stateful.js';
import { reply } from './demo-conversations.js';
import { addDemoData, type DemoAgent } from './demo-data.js';

export interface Demo {
  url: string;
  key: string;
  stop: () => Promise<void>;
}

/** `others` are added to the agents of the screenshots. */
export async function startDemo(others: DemoAgent[] = []): Promise<Demo> {
  const endpoint = await startEndpoint();
  const contract = parseContract(await readFile(inProject('generated/openapi.json'), 'utf8'));
  const service = await startStatefulMock(contract, {
    host: '127.0.0.1',
    port: 0,
    addData: (database, accountId) => addDemoData(database, accountId, endpoint.url, others),
  });
  await addByApi(service.url, service.key);
  return {
    url: service.url,
    key: service.key,
    stop: async () => {
      await service.stop();
      endpoint.stop();
    },
  };
}

async function addByApi(baseUrl: string, apiKey: string): Promise<void> {
  const client = agentHosting({ baseUrl, apiKey });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await client.keys.create({ name: 'Release pipeline', permissions: ['read', 'write'] });
  await client.keys.create({
    name: 'Help desk backend',
    agent_id: 'support-bot',
    permissions: ['read', 'write'],
    expires_at: inDays(80),
  });
  await client.keys.create({ name: 'Dashboards', permissions: ['read'], expires_at: inDays(6) });
  await client.webhooks.create({
    url: 'https://hooks.acme.example/agents',
    agent_id: 'translator',
    events: ['agent.completed', 'agent.failed'],
  });
  await client.webhooks.create({
    url: 'https://alerts.acme.example/billing?team=on-call',
    agent_id: 'billing-bot',
    events: ['agent.failed'],
  });
  await client.agents.update('support-bot', { temperature: 0.4 });
}

/** The endpoint of the HTTP agent: streams the same reply to every request. */
async function startEndpoint(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((_req, res) => void answer(res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(res: ServerResponse): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of reply) {
    res.write(`event: delta\ndata: ${JSON.stringify({ text })}\n\n`);
    await delay(60);
  }
  res.end('event: done\ndata: {"tokens_used":148}\n\n');
}

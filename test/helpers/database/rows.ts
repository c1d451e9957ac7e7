/** Inserts the rows that other rows reference, and deletes agents. */
import { randomBytes } from 'node:crypto';
import type { Prisma } from '../../../generated/prisma/client.js';
import { newId } from '../../../server/lib/data/typeid.js';
import * as agents from '../../../server/agents/agents.js';
import { deleteWaitingInvocations } from '../../../server/invocations/waiting.sql.js';
import type { Database, Transaction } from '../../../server/postgres/database.js';

export async function insertAccount({ prisma }: Database): Promise<string> {
  const id = newId('acct');
  await prisma.account.create({ data: { id, name: id } });
  return id;
}

export async function insertAgent({ prisma }: Database, accountId: string): Promise<string> {
  const id = newId('agent');
  const name = `agent-${randomBytes(6).toString('hex')}`;
  await prisma.agent.create({ data: { id, accountId, name, model: 'builtin/echo' } });
  return id;
}

export function deleteAgent(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<boolean> {
  return agents.deleteAgent(transaction, {
    accountId,
    id,
    deleteWaiting: deleteWaitingInvocations,
  });
}

export async function insertKey(
  { prisma }: Database,
  accountId: string,
  fields: Partial<Prisma.ApiKeyUncheckedCreateInput> = {},
): Promise<string> {
  const id = newId('key');
  await prisma.apiKey.create({
    data: {
      id,
      accountId,
      name: 'test',
      permissions: ['read'],
      keyHash: Buffer.from(randomBytes(32)),
      preview: 'ahs_…test',
      ...fields,
    },
  });
  return id;
}

export async function insertDeployment(
  { prisma }: Database,
  agentId: string,
  fields: Partial<Prisma.DeploymentUncheckedCreateInput> = {},
): Promise<string> {
  const id = newId('dep');
  await prisma.deployment.create({
    data: {
      id,
      agentId,
      environment: 'production',
      version: id,
      status: 'active',
      model: 'builtin/echo',
      temperature: 1,
      instructions: '',
      timeoutMs: 60_000,
      historyLimit: 20,
      ...fields,
    },
  });
  return id;
}

export async function insertWebhook(
  database: Database,
  accountId: string,
  agentId: string | null = null,
): Promise<string> {
  const [id = ''] = await insertWebhooks(database, 1, accountId, agentId);
  return id;
}

export async function insertWebhooks(
  { prisma }: Database,
  count: number,
  accountId: string,
  agentId: string | null = null,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('wh'));
  await prisma.webhook.createMany({
    data: ids.map((id) => ({
      id,
      accountId,
      agentId,
      url: 'https://example.com/hook',
      host: 'example.com',
      events: ['agent.completed'],
      sealedSecret: Buffer.from(randomBytes(60)),
    })),
  });
  return ids;
}

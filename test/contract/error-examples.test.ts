/** Provokes each error that the contract shows as an example; the response must equal the example. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import { parse } from 'yaml';
import type { ErrorResponse } from '../../generated/api.js';
import { addStoredBytes } from '../../server/accounts/daily-use.sql.js';
import { tiers } from '../../server/accounts/tiers.js';
import { type Answered, apiClient } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useFiles } from '../helpers/programs/files.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { insertDeployment } from '../helpers/database/rows.js';
import type { Tenant } from '../helpers/service/service.js';
import { root } from '../helpers/programs/workspace.js';
import { message, useServiceWithModel } from '../invocations/service-with-model.js';
import { hang, refusal, status } from '../helpers/model-provider/failures.js';
import { answerLater, chatCompletions } from '../helpers/model-provider/wire-formats.js';

const fixture = useServiceWithModel();
const files = useFiles();

/** An account whose resources have the names used in the examples. */
interface ExampleAccount {
  tenant: Tenant;
  agentId: string;
  path: { agent_id: string };
}

type Provocation = (stage: ExampleAccount) => Promise<Answered<unknown>>;

async function createExampleAccount(
  tier: 'free' | 'enterprise' = 'enterprise',
): Promise<ExampleAccount> {
  const tenant = await fixture.service.tenant({ tier });
  const { id } = await tenant.newAgent({ name: 'support-bot', model: 'local/llama3.2' });
  return { tenant, agentId: id, path: { agent_id: 'support-bot' } };
}

const invoke = ({ tenant }: ExampleAccount, key?: string) =>
  tenant.api.call(
    'invokeAgent',
    message('support-bot', 'Hi', key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  );

const provocations: Record<string, Provocation> = {
  AlreadyDecided: ({ tenant, path }) =>
    tenant.api.call('invokeAgent', {
      path,
      body: {
        message: 'Go ahead.',
        resume: {
          request_id: 'req_01m6dsg7e0eha8ks12y199e68y',
          decisions: [{ call_id: 'call_1', decision: 'approve' }],
        },
      },
    }),
  AgentNotFound: async () => {
    const empty = await fixture.service.tenant();
    return empty.api.call('getAgent', { path: { agent_id: 'support-bot' } });
  },
  AgentStopped: async (stage) => {
    const { prisma } = fixture.service.database;
    await prisma.agent.update({ where: { id: stage.agentId }, data: { status: 'stopped' } });
    return invoke(stage);
  },
  BudgetUsedUp: async (stage) => {
    const { prisma } = fixture.service.database;
    const budget = { tokens: 2_000_000, window: '1d' };
    await prisma.agent.update({ where: { id: stage.agentId }, data: { budget } });
    const dayMs = 86_400_000;
    const endsAt = new Date((Math.floor(Date.now() / dayMs) + 1) * dayMs);
    await prisma.budgetWindow.create({
      data: {
        accountId: stage.tenant.accountId,
        ownerId: stage.agentId,
        windowMs: dayMs,
        endsAt,
        tokens: budget.tokens,
      },
    });
    return invoke(stage);
  },
  DailyLimitReached: async () => {
    const { tenant, path } = await createExampleAccount('free');
    const stored = new Map([[tenant.accountId, tiers.free.bytesPerDay]]);
    await addStoredBytes(fixture.service.database, stored);
    return eventually(async () => {
      const answer = await tenant.api.call('updateAgent', { path, body: { temperature: 0.3 } });
      expect(JSON.stringify(answer.body)).toContain('bytesPerDay');
      return answer;
    });
  },
  DraftEnvironment: ({ tenant, path }) => {
    const body = { environment: 'draft', version: '1.4.0' };
    return tenant.api.call('createDeployment', { path, body });
  },
  DeploymentNotFound: ({ tenant, path }) =>
    tenant.api.call('rollbackDeployment', {
      path: { ...path, deployment_id: 'dep_01m6dqs9m0fsw90fq1accfsmnf' },
    }),
  Endpoint: async ({ tenant }) => {
    fixture.provider.behave(status(400));
    const { id } = await tenant.newAgent({
      model: 'http/own',
      endpoint: { url: fixture.provider.url },
    });
    return tenant.api.call('invokeAgent', message(id, 'Hi'));
  },
  Forbidden: async ({ tenant }) => {
    const { key } = await tenant.newKey({ permissions: ['read'] });
    return apiClient(fixture.service.url, key).call('invokeAgent', message('support-bot', 'Hi'));
  },
  IdempotencyMismatch: async (stage) => {
    await invoke(stage, 'k');
    const other = { body: { message: 'Ho' }, headers: { 'idempotency-key': 'k' } };
    return stage.tenant.api.call('invokeAgent', { path: stage.path, ...other });
  },
  InvocationCancelled: async (stage) => {
    const held = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(held.reply);
    const headers = { prefer: 'respond-async', 'idempotency-key': 'k' };
    const call = message('support-bot', 'Hi', { headers });
    const { data } = await stage.tenant.api.expect('invokeAgent', 202, call);
    const operator = operatorInProcess(fixture.service);
    const { name } = await fixture.service.database.prisma.account.findUniqueOrThrow({
      where: { id: stage.tenant.accountId },
    });
    await operator.json('invocations', 'cancel', data.request_id, '--account', name);
    held.finish();
    return stage.tenant.api.call('invokeAgent', call);
  },
  KeyNotFound: ({ tenant }) =>
    tenant.api.call('revokeApiKey', { path: { key_id: 'key_01m6drbkj0e0avwty5ntqmgds4' } }),
  Loop: ({ tenant, path }) =>
    tenant.api.call('invokeAgent', {
      path,
      body: { message: 'Hi' },
      headers: { tracestate: 'agent-hosting=d:6' },
    }),
  MessageTooLong: (stage) => {
    const tooLong = "This model's maximum context length is 8192 tokens.";
    fixture.provider.behave(
      refusal(400, { error: { message: tooLong, code: 'context_length_exceeded' } }),
    );
    return invoke(stage);
  },
  MethodNotAllowed: ({ tenant }) => send('put', '/v1/agents/support-bot', tenant),
  MfaRequired: async ({ tenant }) => {
    const policy = { mfa: { enabled: true, operations: ['update'] } };
    const { id } = await tenant.newAgent({ policy });
    return tenant.api.call('updateAgent', { path: { agent_id: id }, body: { temperature: 1 } });
  },
  MissingCredential: () => answered(request(fixture.service.url).get('/v1/agents')),
  MissingParameter: ({ tenant, path }) => tenant.api.call('invokeAgent', { path, body: {} }),
  NoDeployment: ({ tenant, path }) => {
    const body = { message: 'Hi', environment: 'staging' };
    return tenant.api.call('invokeAgent', { path, body });
  },
  NothingToCancel: ({ tenant }) => {
    const headers = { prefer: 'cancel', 'idempotency-key': 'k' };
    return tenant.api.call('invokeAgent', message('support-bot', 'Hi', { headers }));
  },
  NotActive: ({ tenant, path, agentId }) => rollBack(tenant, path, agentId, 'superseded'),
  NothingReplaced: ({ tenant, path, agentId }) => rollBack(tenant, path, agentId, 'active'),
  OtherEnvironment: async ({ tenant }) => {
    const secret = 'a secret of the support bot, of at least 32 bytes';
    const file = await files.write('secret', secret);
    const policy = { auth: { type: 'jwt', secret: `\${file:${file}}` } };
    const { id } = await tenant.newAgent({ policy });
    const api = apiClient(fixture.service.url, signToken(secret, usualClaims()));
    const body = { message: 'Hi', environment: 'draft' };
    return api.call('invokeAgent', { path: { agent_id: id }, body });
  },
  PayloadTooLarge: ({ tenant, path }) =>
    tenant.api.call('invokeAgent', { path, body: { message: 'x'.repeat(1024 * 1024) } }),
  ProviderBusy: async (stage) => {
    fixture.provider.behave(status(429, { 'retry-after': '120' }));
    const { prisma } = fixture.service.database;
    // A model of its own, since a rate limit lasts.
    await prisma.agent.update({ where: { id: stage.agentId }, data: { model: 'local/limited' } });
    return invoke(stage);
  },
  RateLimited: async () => {
    const { tenant } = await createExampleAccount('free');
    for (;;) {
      const answer = await tenant.api.call('listAgents');
      if (answer.status !== 200) return answer;
    }
  },
  ServerError: ({ tenant, path }) =>
    whileFailing(fixture.service.database, 'agents', { code: '42601' }, () =>
      tenant.api.call('updateAgent', { path, body: { temperature: 0.3 } }),
    ),
  StillRunning: async (stage) => {
    const held = answerLater(chatCompletions, ['Done.']);
    fixture.provider.behave(held.reply);
    const first = invoke(stage, 'k');
    await fixture.provider.asked(1);
    const answer = await invoke(stage, 'k');
    held.finish();
    await first;
    return answer;
  },
  Timeout: async (stage) => {
    const { prisma } = fixture.service.database;
    await prisma.agent.update({ where: { id: stage.agentId }, data: { timeoutMs: 1_000 } });
    fixture.provider.behave(hang);
    return invoke(stage);
  },
  TooManyKeys: async () => {
    const { tenant } = await createExampleAccount('free');
    await Promise.all(Array.from({ length: tiers.free.keys - 1 }, () => tenant.newKey()));
    return tenant.api.call('createApiKey', { body: { name: 'one more', permissions: ['read'] } });
  },
  TooManyWebhooks: async () => {
    const { tenant } = await createExampleAccount('free');
    const body = { url: 'https://127.0.0.1/hook', events: ['agent.completed'] };
    for (;;) {
      const answer = await tenant.api.call('createWebhook', { body });
      if (answer.status !== 201) return answer;
    }
  },
  Unauthorized: () => apiClient(fixture.service.url, 'ahs_wrong').call('listAgents'),
  Unavailable: ({ tenant, path }) =>
    whileFailing(fixture.service.database, 'agents', { code: '53100' }, () =>
      tenant.api.call('updateAgent', { path, body: { temperature: 0.3 } }),
    ),
  UnknownProvider: ({ tenant, path }) =>
    tenant.api.call('updateAgent', { path, body: { model: 'opnai/gpt-5' } }),
  UnknownStream: ({ tenant }) => {
    const headers = {
      accept: 'text/event-stream',
      'idempotency-key': 'k',
      'last-event-id': 'req_01m6dsg7e0eha8ks12y199e68y.2',
    };
    return tenant.api.call('invokeAgent', message('support-bot', 'Hi', { headers }));
  },
  UnsupportedMediaType: ({ tenant }) => send('post', '/v1/agents/support-bot/invoke', tenant),
  Upstream: (stage) => {
    fixture.provider.behave(status(400));
    return invoke(stage);
  },
  ValidationFailed: ({ tenant }) =>
    tenant.api.call('listAgents', { query: { limit: '101', sort: 'size' } }),
  VersionTaken: async ({ tenant, path }) => {
    const body = { environment: 'production', version: '1.4.0' };
    await tenant.api.expect('createDeployment', 201, { path, body });
    return tenant.api.call('createDeployment', { path, body });
  },
  WebhookNotFound: ({ tenant }) =>
    tenant.api.call('deleteWebhook', { path: { webhook_id: 'wh_01m3y21g40em7a3s4w04zg1hhc' } }),
};

async function rollBack(
  { api }: Tenant,
  agent: ExampleAccount['path'],
  agentId: string,
  status: 'superseded' | 'active',
): Promise<Answered<unknown>> {
  const deployment_id = await insertDeployment(fixture.service.database, agentId, { status });
  return api.call('rollbackDeployment', { path: { ...agent, deployment_id } });
}

const send = (method: 'put' | 'post', target: string, { key }: Tenant) =>
  answered(
    request(fixture.service.url)
      [method](target)
      .set({ authorization: `Bearer ${key}`, 'content-type': 'text/plain' })
      .send('x'),
  );

async function answered(sent: request.Test): Promise<Answered<unknown>> {
  const { status, headers, body } = (await sent) as {
    headers: Record<string, string>;
    status: number;
    body: unknown;
  };
  return { status, headers: new Headers(headers), body };
}

const folder = path.join(root, 'spec/examples');

/** Waiting times depend on the clock. */
function withoutTimes({ error: { retry_after, message: text, ...error } }: ErrorResponse): unknown {
  return {
    ...error,
    message: text
      .replace(/\d+ seconds?/, 'some seconds')
      .replace(/\d{4}-\d\d-\d\dT\S+Z/, 'some time'),
    waits: retry_after !== undefined,
  };
}

test('every error example has a case here', async () => {
  const files = await readdir(folder);
  const names = files.flatMap((name) => /^Error(\w+)\.yaml$/.exec(name)?.[1] ?? []);
  expect(Object.keys(provocations).toSorted()).toEqual(names.toSorted());
});

test.each(Object.entries(provocations))('%s', async (name, provoke) => {
  const text = await readFile(path.join(folder, `Error${name}.yaml`), 'utf8');
  const { value } = parse(text) as { value: ErrorResponse };
  const { body } = await provoke(await createExampleAccount());
  expect(withoutTimes(body as ErrorResponse)).toEqual(withoutTimes(value));
});

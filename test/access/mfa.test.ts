/** mfa: one-time codes for updating and deleting an agent, each valid once. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { operations } from '../../generated/operations.js';
import { type Authenticator, waitForFreshCode } from '../helpers/crypto/authenticator.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { enrolAgent } from './enrol-agent.js';

const service = useService();
const tenant = useTenant(service);

// A code must not expire between being generated and being checked.
beforeEach(waitForFreshCode);

interface EnrolledAgent {
  id: string;
  authenticator: Authenticator;
}

const both = ['update', 'delete'];

async function newAgent(operations: string[] = both, enabled = true): Promise<EnrolledAgent> {
  const policy = { mfa: { enabled, operations } };
  const { id, name } = await tenant.newAgent({ policy });
  return { id, authenticator: await enrolAgain(id, name) };
}

const enrolAgain = (id: string, name = 'agent') => enrolAgent(service, tenant, { id, name });

function update(id: string, code?: string, body: object = { temperature: 0.5 }) {
  return tenant.api.call('updateAgent', {
    path: { agent_id: id },
    body,
    ...(code === undefined ? {} : { headers: { 'x-mfa-code': code } }),
  });
}

const updated = async (id: string, code?: string) => (await update(id, code)).status;

const failures = async (agentId: string) =>
  (await service.database.prisma.mfaEnrolment.findFirstOrThrow({ where: { agentId } }))
    .failedAttempts;

describe('a code is accepted', () => {
  test.each([-1, 0, 1])('from a clock that is %i steps off', async (steps) => {
    const { id, authenticator } = await newAgent();
    expect(await updated(id, authenticator.code(steps))).toBe(200);
  });

  test('for deleting as well, by the name of the agent', async () => {
    const { id, authenticator } = await newAgent();
    const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    await tenant.api.expect('deleteAgent', 200, {
      path: { agent_id: data.name },
      headers: { 'x-mfa-code': authenticator.code() },
    });
  });

  test('again when it is the next one', async () => {
    const { id, authenticator } = await newAgent();
    const [now, next] = [authenticator.code(), authenticator.code(1)];
    expect(await updated(id, now)).toBe(200);
    expect(await updated(id, next)).toBe(200);
  });
});

describe('rejected with a 403 is', () => {
  const bad: [string, (own: Authenticator) => string | undefined][] = [
    ['no code', () => undefined],
    ['an empty one', () => ''],
    ['a wrong one', (own) => own.wrongCode()],
    ['five digits', (own) => own.code().slice(1)],
    ['seven digits', (own) => `${own.code()}0`],
    ['a code with a space', (own) => `${own.code().slice(0, 3)} ${own.code().slice(3)}`],
    ['two codes', (own) => `${own.code()},${own.code(1)}`],
    ['letters', () => 'abcdef'],
    ['a code of two steps ago', (own) => own.code(-2)],
    ['a code of three steps ahead', (own) => own.code(3)],
    ['a number in another notation', () => '1e5000'],
  ];

  test.each(bad)(
    '%s, for updating and for deleting, with the same message',
    async (_what, make) => {
      const { id, authenticator } = await newAgent();
      const code = make(authenticator);
      const headers = code === undefined ? {} : { 'x-mfa-code': code };
      const path = { agent_id: id };
      for (const answer of [
        await tenant.api.expect('updateAgent', 403, { path, headers, body: { temperature: 1 } }),
        await tenant.api.expect('deleteAgent', 403, { path, headers }),
      ]) {
        expect(answer.error.message).toBe(
          'This operation needs a valid, unused one-time code in X-MFA-Code.',
        );
      }
      await tenant.api.expect('getAgent', 200, { path });
    },
  );

  test("another agent's code", async () => {
    const [one, other] = [await newAgent(), await newAgent()];
    expect(await updated(one.id, other.authenticator.code())).toBe(403);
  });

  test('a code that was used for any operation, and every earlier one', async () => {
    const { id, authenticator } = await newAgent();
    const [before, now] = [authenticator.code(-1), authenticator.code()];
    expect(await updated(id, now)).toBe(200);
    expect(await updated(id, now)).toBe(403);
    expect(await updated(id, before)).toBe(403);
    const headers = { 'x-mfa-code': now };
    await tenant.api.expect('deleteAgent', 403, { path: { agent_id: id }, headers });
  });

  test('all but one of several concurrent uses of the same code', async () => {
    const { id, authenticator } = await newAgent();
    const code = authenticator.code();
    const statuses = await Promise.all([1, 2, 3, 4].map(() => updated(id, code)));
    expect(statuses.toSorted()).toEqual([200, 403, 403, 403]);
  });

  test('a repeat of a used code, which never leads to a lockout', async () => {
    const { id, authenticator } = await newAgent();
    const [now, next] = [authenticator.code(), authenticator.code(1)];
    const statuses = await Promise.all(Array.from({ length: 10 }, () => updated(id, now)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 403)).toHaveLength(9);
    expect(await updated(id, next)).toBe(200);
  });

  test('a code of a replaced authenticator', async () => {
    const { id, authenticator } = await newAgent();
    const replaced = await enrolAgain(id);
    expect(await updated(id, authenticator.code())).toBe(403);
    expect(await updated(id, replaced.code())).toBe(200);
  });

  test('any code if no authenticator is enrolled', async () => {
    const { id } = await tenant.newAgent({ policy: { mfa: { enabled: true, operations: both } } });
    expect(await updated(id, '123456')).toBe(403);
  });

  test('a code anywhere but in its header', async () => {
    const { id, authenticator } = await newAgent();
    const code = authenticator.code();
    const answer = await tenant.api.call('updateAgent', {
      path: { agent_id: id },
      query: { 'X-MFA-Code': code },
      headers: { cookie: `X-MFA-Code=${code}` },
      body: { temperature: 1 },
    });
    expect(answer.status).toBe(403);
  });
});

describe('no code is consumed', () => {
  test('by a request that is rejected for another reason', async () => {
    const { id, authenticator } = await newAgent();
    const code = authenticator.code();
    expect((await update(id, code, { temperature: 'hot' })).status).toBe(400);
    const { key } = await tenant.newKey({ permissions: ['read'] });
    const call = { path: { agent_id: id }, headers: { 'x-mfa-code': code } };
    await service.api(key).expect('deleteAgent', 403, call);
    expect(await updated(id, code)).toBe(200);
  });

  test('by an operation that fails', async () => {
    const { id, authenticator } = await newAgent();
    const code = authenticator.code();
    expect((await update(id, code, { model: 'unknown/model' })).status).toBe(400);
    expect(await updated(id, code)).toBe(200);
    expect(await updated(id, code)).toBe(403);
  });

  test('or counted by a caller who cannot see the agent', async () => {
    const { id, authenticator } = await newAgent();
    const stranger = await service.tenant();
    const elsewhere = await tenant.newAgent();
    const scoped = await tenant.newKey({ agentId: elsewhere.id });
    for (const api of [stranger.api, service.api(scoped.key)]) {
      const headers = { 'x-mfa-code': authenticator.wrongCode() };
      await api.expect('deleteAgent', 404, { path: { agent_id: id }, headers });
    }
    expect(await failures(id)).toBe(0);
  });
});

describe('deploying and rolling back, which "update" covers,', () => {
  const deploy = (id: string, version: string, headers: Record<string, string> = {}) =>
    tenant.api.call('createDeployment', {
      path: { agent_id: id },
      body: { environment: 'production', version },
      headers,
    });

  test('need a code', async () => {
    const { id, authenticator } = await newAgent(['update']);
    expect((await deploy(id, '1')).status).toBe(403);
    expect((await deploy(id, '1', { 'x-mfa-code': authenticator.wrongCode() })).status).toBe(403);
    expect((await deploy(id, '1', { 'x-mfa-code': authenticator.code(-1) })).status).toBe(201);
    const second = await deploy(id, '2', { 'x-mfa-code': authenticator.code() });
    expect(second.status).toBe(201);
    const { data } = second.body as { data: { id: string } };
    const path = { agent_id: id, deployment_id: data.id };
    await tenant.api.expect('rollbackDeployment', 403, { path });
    const headers = { 'x-mfa-code': authenticator.code(1) };
    await tenant.api.expect('rollbackDeployment', 200, { path, headers });
  });

  test('need none if the policy names only "delete"', async () => {
    const { id } = await newAgent(['delete']);
    expect((await deploy(id, '1')).status).toBe(201);
  });

  test('are repeated with an Idempotency-Key and a used code without another effect', async () => {
    const { id, authenticator } = await newAgent();
    const headers = { 'x-mfa-code': authenticator.code(), 'idempotency-key': 'deploy-1' };
    const first = await deploy(id, '1', headers);
    const repeat = await deploy(id, '1', headers);
    expect([first.status, repeat.status]).toEqual([201, 201]);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.body).toEqual(first.body);
  });

  test('leave the Idempotency-Key free after a wrong code, and the code after a conflict', async () => {
    const { id, authenticator } = await newAgent();
    const [code, next] = [authenticator.code(), authenticator.code(1)];
    const key = { 'idempotency-key': 'deploy-2' };
    const wrong = { ...key, 'x-mfa-code': authenticator.wrongCode() };
    expect((await deploy(id, '1', wrong)).status).toBe(403);
    expect((await deploy(id, '1', { ...key, 'x-mfa-code': code })).status).toBe(201);
    expect((await deploy(id, '1', { 'x-mfa-code': next })).status).toBe(409);
    expect((await deploy(id, '2', { 'x-mfa-code': next })).status).toBe(201);
  });
});

describe('a code is required', () => {
  test.each(both)('by %s only, if the policy names only that', async (operation) => {
    const { id } = await newAgent([operation]);
    expect(await updated(id)).toBe(operation === 'update' ? 403 : 200);
    const status = operation === 'delete' ? 403 : 200;
    await tenant.api.expect('deleteAgent', status, { path: { agent_id: id } });
  });

  test('by no other operation', async () => {
    const { id } = await newAgent();
    for (const { operationId, path, mfa, hasBody } of Object.values(operations)) {
      if (mfa !== null || !path.includes('{agent_id}')) continue;
      const body = hasBody ? { body: {} } : {};
      const { status } = await tenant.api.call(operationId, { path: { agent_id: id }, ...body });
      expect([operationId, status]).not.toEqual([operationId, 403]);
    }
  });

  test('by nothing if it is disabled', async () => {
    const { id } = await newAgent(both, false);
    expect(await updated(id)).toBe(200);
  });
});

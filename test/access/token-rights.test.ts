/** The permissions of a token: by default, by its role and for its agent only; and the scope of its idempotency. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Permission } from '../../generated/api.js';
import { operations, type OperationId } from '../../generated/operations.js';
import { eventually } from '../helpers/eventually.js';
import { createFiles } from '../helpers/programs/files.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { deleteAgent } from '../helpers/database/rows.js';

const secret = 'a secret of the support bot, of at least 32 bytes';
const otherSecret = 'another secret, of at least 32 bytes';
const invocation = { message: 'hello' };

const service = useService();
const tenant = useTenant(service);
let policy: object;
let agent: { id: string };
let otherAgent: { id: string };

beforeAll(async () => {
  const files = await createFiles();
  const file = await files.write('secret', secret);
  const otherFile = await files.write('other', otherSecret);
  policy = {
    auth: { type: 'jwt', secret: `\${file:${file}}`, roles: ['viewer', 'developer', 'auditor'] },
    roles: { auditor: ['read', 'delete'] },
  };
  agent = await tenant.newAgent({ policy });
  otherAgent = await tenant.newAgent({
    policy: { auth: { type: 'jwt', secret: `\${file:${otherFile}}`, roles: ['admin'] } },
  });
});

function sign(payload: unknown, header?: object, key = secret): string {
  return signToken(key, payload, header);
}

async function statusOf(
  token: string,
  operationId: OperationId = 'invokeAgent',
  agentId = agent.id,
  body: unknown = operationId === 'invokeAgent' ? invocation : undefined,
): Promise<number> {
  const call = { path: { agent_id: agentId }, ...(body === undefined ? {} : { body }) };
  return (await service.api(token).call(operationId, call)).status;
}

const routes = Object.values(operations);
const underAgent = routes
  .filter(({ path }) => path.includes('{agent_id}'))
  // Last, because later requests would not find the agent.
  .toSorted(
    (one, other) =>
      Number(one.operationId === 'deleteAgent') - Number(other.operationId === 'deleteAgent'),
  );

describe('a token may', () => {
  test.each<[string, string | undefined, Permission[]]>([
    ['invoke the agent and nothing else without a role', undefined, []],
    ['read with the role viewer', 'viewer', ['read']],
    ['read and write with the role developer', 'developer', ['read', 'write']],
    ['use a role that the manifest defines', 'auditor', ['read', 'delete']],
    ['do nothing more with a role that the manifest does not allow', 'admin', []],
    ['do nothing more with an unknown role', 'root', []],
    ['do nothing more with a role named like an inherited property', '__proto__', []],
    ['do nothing more with two roles', 'viewer developer', []],
  ])('%s', async (_what, role, permissions) => {
    const { id } = await tenant.newAgent({ policy });
    const token = sign({ ...usualClaims(), ...(role === undefined ? {} : { role }) });
    for (const { operationId, permission } of underAgent) {
      const isAllowed = operationId === 'invokeAgent' || permissions.includes(permission);
      const body = operationId === 'invokeAgent' ? invocation : {};
      const status = await statusOf(
        token,
        operationId,
        id,
        operations[operationId].hasBody ? body : undefined,
      );
      expect({ operationId, isRefused: status === 403 }).toEqual({
        operationId,
        isRefused: !isAllowed,
      });
      expect(status).not.toBe(401);
    }
  });

  test.each(
    routes.filter((route) => !underAgent.includes(route)).map(({ operationId }) => operationId),
  )('not be used for %s, which is not about the agent', async (operationId) => {
    const token = sign({ ...usualClaims(), role: 'developer' });
    expect((await service.api(token).call(operationId)).status).toBe(401);
  });

  test('not see another agent of its account, not even with the right secret', async () => {
    const token = sign({ ...usualClaims(), role: 'admin' }, { alg: 'HS256' }, otherSecret);
    expect(await statusOf(token, 'getAgent', otherAgent.id)).toBe(200);
    expect(await statusOf(token, 'getAgent', agent.id)).toBe(401);
  });

  test('gets errors that are worded for tokens', async () => {
    const { error } = await service
      .api(sign(usualClaims()))
      .expect('getAgent', 403, { path: { agent_id: agent.id } });
    expect(error.message).toBe(
      "This token lacks the permission 'read', which the operation needs.",
    );
  });
});

describe('the account of a token', () => {
  test('is charged for its requests, by its tier', async () => {
    const small = await service.tenant({ tier: 'free' });
    const { id } = await small.newAgent({ policy });
    const call = { path: { agent_id: id }, body: invocation };
    const { headers } = await service.api(sign(usualClaims())).call('invokeAgent', call);
    expect(headers.get('x-ratelimit-limit')).toBe('100');
    expect(Number(headers.get('x-ratelimit-remaining'))).toBe(99);
  });

  test('scopes idempotency to the user, who never gets the response of another user', async () => {
    const invokeAs = async (user: string) => {
      const { headers, body } = await service
        .api(sign({ ...usualClaims(), user_id: user }))
        .call('invokeAgent', {
          path: { agent_id: agent.id },
          headers: { 'idempotency-key': 'same' },
          body: invocation,
        });
      return { replayed: headers.get('idempotency-replayed'), body };
    };
    const first = await invokeAs('user_1');
    const again = await invokeAs('user_1');
    const other = await invokeAs('user_2');
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(other.replayed).toBeNull();
    expect(other.body).not.toEqual(first.body);
  });
});

describe('the name of an agent', () => {
  test('is not accepted with tokens once another account has an agent of that name', async () => {
    const broken = { auth: { type: 'jwt', secret: '${env:NEVER_SET}' } };
    const mine = await tenant.newAgent({ policy, name: 'shared-name' });
    expect(await statusOf(sign(usualClaims()), 'invokeAgent', 'shared-name')).toBe(200);
    const other = await service.tenant();
    for (const theirs of [{}, broken]) {
      const { id } = await other.newAgent({ name: 'shared-name', policy: theirs });
      await eventually(async () => {
        expect(await statusOf(sign(usualClaims()), 'invokeAgent', 'shared-name')).toBe(401);
      });
      expect(await statusOf(sign(usualClaims()), 'invokeAgent', mine.id)).toBe(200);
      await other.api.expect('getAgent', 'auth' in theirs ? 503 : 200, { path: { agent_id: id } });
      await service.database.transaction((transaction) =>
        deleteAgent(transaction, other.accountId, id),
      );
    }
  });
});

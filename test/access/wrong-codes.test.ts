/** Wrong one-time codes lock out the caller that gives them, and many callers together cannot guess faster. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createCodeVerifier } from '../../server/access/one-time-code.js';
import { type Authenticator, waitForFreshCode } from '../helpers/crypto/authenticator.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { useFiles } from '../helpers/programs/files.js';
import { testSecrets, useService, useTenant } from '../helpers/service/service.js';
import { enrolAgent } from './enrol-agent.js';

const service = useService();
const tenant = useTenant(service);
const files = useFiles();

// A code must not expire between being generated and being checked.
beforeEach(waitForFreshCode);

interface EnrolledAgent {
  id: string;
  authenticator: Authenticator;
}

const mfa = { enabled: true, operations: ['update', 'delete'] };

async function newAgent(policy: object = {}): Promise<EnrolledAgent> {
  const agent = await tenant.newAgent({ policy: { mfa, ...policy } });
  return { id: agent.id, authenticator: await enrolAgent(service, tenant, agent) };
}

function update(id: string, code: string) {
  return tenant.api.call('updateAgent', {
    path: { agent_id: id },
    body: { temperature: 0.5 },
    headers: { 'x-mfa-code': code },
  });
}

const updated = async (id: string, code: string) => (await update(id, code)).status;

type Callers = Record<string, { wrong: number; wrongAt?: string; validAt?: string }>;

const enrolmentOf = (agentId: string) =>
  service.database.prisma.mfaEnrolment.findFirstOrThrow({ where: { agentId } });

const callersOf = async (agentId: string) => (await enrolmentOf(agentId)).callers as Callers;

/** The wrong codes in a row of the tenant's key, which is the only caller. */
const inARow = async (agentId: string) => Object.values(await callersOf(agentId))[0]?.wrong;

/** As if everything had happened earlier. */
async function passTime(agentId: string, minutes: number): Promise<void> {
  const earlier = (time: Date | string) => new Date(new Date(time).getTime() - minutes * 60_000);
  const { failuresSince, lockedUntil } = await enrolmentOf(agentId);
  const callers = Object.entries(await callersOf(agentId)).map(([id, { wrong, ...times }]) => [
    id,
    {
      wrong,
      ...Object.fromEntries(Object.entries(times).map(([name, time]) => [name, earlier(time)])),
    },
  ]);
  await service.database.prisma.mfaEnrolment.updateMany({
    where: { agentId },
    data: {
      failuresSince: failuresSince && earlier(failuresSince),
      lockedUntil: lockedUntil && earlier(lockedUntil),
      callers: JSON.parse(JSON.stringify(Object.fromEntries(callers))) as object,
    },
  });
}

describe('after five wrong codes', () => {
  const guessWrong = async ({ id, authenticator }: EnrolledAgent, times = 5) => {
    for (let index = 0; index < times; index += 1) {
      expect(await updated(id, authenticator.wrongCode())).toBe(403);
    }
  };

  test('even the right one is rejected for a while, with a 429 that says how long', async () => {
    const agent = await newAgent();
    await guessWrong(agent);
    const { status, headers, body } = await update(agent.id, agent.authenticator.code());
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
    expect(body).toMatchObject({ error: { code: 'rate_limited' } });
  });

  test('and the waiting time, codes are accepted again, and the count starts at zero', async () => {
    const agent = await newAgent();
    await guessWrong(agent);
    await passTime(agent.id, 14);
    expect(await updated(agent.id, agent.authenticator.code())).toBe(429);
    await passTime(agent.id, 1);
    await guessWrong(agent, 1);
    expect(await inARow(agent.id)).toBe(1);
    expect(await updated(agent.id, agent.authenticator.code())).toBe(200);
    expect(await inARow(agent.id)).toBe(0);
  });

  test('that arrive at once, no more of them are checked', async () => {
    const { id, authenticator } = await newAgent();
    const wrong = authenticator.wrongCode();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => updated(id, wrong)));
    expect(statuses.filter((status) => status === 403)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });

  test('other agents are not affected', async () => {
    const [locked, other] = [await newAgent(), await newAgent()];
    await guessWrong(locked);
    expect(await updated(other.id, other.authenticator.code())).toBe(200);
  });
});

describe('wrong codes of others', () => {
  test('with another key do not lock the owner’s key', async () => {
    const { id, authenticator } = await newAgent();
    const { key } = await tenant.newKey({ agentId: id, permissions: ['write'] });
    const call = { path: { agent_id: id }, body: { temperature: 1 } };
    const guess = (code: string) =>
      service.api(key).call('updateAgent', { ...call, headers: { 'x-mfa-code': code } });
    for (let index = 0; index < 5; index += 1) {
      expect((await guess(authenticator.wrongCode())).status).toBe(403);
    }
    expect((await guess(authenticator.code())).status).toBe(429);
    const headers = { 'x-mfa-code': authenticator.code() };
    await tenant.api.expect('deleteAgent', 200, { path: { agent_id: id }, headers });
  });

  test('with tokens lock their own users only', async () => {
    const secret = 'a secret of the guarded bot, of at least 32 bytes';
    const file = await files.write('secret', secret);
    const auth = { type: 'jwt', secret: `\${file:${file}}`, roles: ['developer'] };
    const { id, authenticator } = await newAgent({ auth });
    const updatedBy = async (user_id: string, code: string) => {
      const token = signToken(secret, { ...usualClaims(), user_id, role: 'developer' });
      const call = { path: { agent_id: id }, body: { temperature: 1 } };
      const headers = { 'x-mfa-code': code };
      return (await service.api(token).call('updateAgent', { ...call, headers })).status;
    };
    for (let index = 0; index < 5; index += 1) {
      expect(await updatedBy('mallory', authenticator.wrongCode())).toBe(403);
    }
    expect(await updatedBy('mallory', authenticator.code())).toBe(429);
    expect(await updatedBy('ann', authenticator.code())).toBe(200);
    expect(JSON.stringify(await callersOf(id))).not.toMatch(/mallory|ann/);
  });
});

describe('many callers together', () => {
  const verifier = () => createCodeVerifier(service.database, testSecrets);
  const verify = async ({ id }: EnrolledAgent, caller: string, code: string) =>
    verifier()({ accountId: tenant.accountId, agentId: id }, { caller, code });

  /** Five wrong codes from each of many callers; how many of them were checked. */
  async function attack(agent: EnrolledAgent): Promise<number> {
    let checked = 0;
    for (let index = 0; index < 550; index += 1) {
      const caller = `key_a${Math.floor(index / 5)}`;
      const { outcome } = await verify(agent, caller, agent.authenticator.wrongCode());
      if (outcome === 'invalid') checked += 1;
    }
    return checked;
  }

  test('give 500 wrong codes a day, and lock out only callers who have given no valid one', async () => {
    const agent = await newAgent();
    const valid = (steps: number) => agent.authenticator.code(steps);
    expect(await verify(agent, 'key_owner', valid(-1))).toMatchObject({ outcome: 'valid' });
    expect(await attack(agent)).toBe(500);
    await waitForFreshCode();
    expect(await verify(agent, 'key_new', valid(0))).toEqual({
      outcome: 'locked',
      retryAfter: expect.closeTo(86_400, -3),
    });
    expect(await verify(agent, 'key_owner', valid(0))).toMatchObject({ outcome: 'valid' });

    // The end of its own lock lets no caller past the limit of all.
    await passTime(agent.id, 16);
    expect(await verify(agent, 'key_a0', valid(1))).toMatchObject({ outcome: 'locked' });
    await passTime(agent.id, 24 * 60);
    expect(await verify(agent, 'key_b', agent.authenticator.wrongCode())).toMatchObject({
      outcome: 'invalid',
    });
    await passTime(agent.id, 24 * 60);
    await waitForFreshCode();
    expect(await verify(agent, 'key_new', valid(1))).toMatchObject({ outcome: 'valid' });
    expect(Object.keys(await callersOf(agent.id)).toSorted()).toEqual(['key_new', 'key_owner']);
  });

  test('cannot be one caller, whose lockouts leave less than 500 a day', async () => {
    const agent = await newAgent();
    let checked = 0;
    for (let quarter = 0; quarter < 24 * 4; quarter += 1) {
      for (let index = 0; index < 6; index += 1) {
        const { outcome } = await verify(agent, 'key_a', agent.authenticator.wrongCode());
        if (outcome === 'invalid') checked += 1;
      }
      await passTime(agent.id, 15);
    }
    expect(checked).toBe(480);
    await waitForFreshCode();
    const valid = agent.authenticator.code();
    expect(await verify(agent, 'key_new', valid)).toMatchObject({ outcome: 'valid' });
  });
});

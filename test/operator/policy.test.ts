/** Operator commands for agents' security settings: applying, masking, enrolling. */
import { commandLine } from '../../server/contract/command-line.js';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readEnrolment, waitForFreshCode } from '../helpers/crypto/authenticator.js';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { useFiles } from '../helpers/programs/files.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { testSecrets, useService, useTenant } from '../helpers/service/service.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';

const secret = 'a secret that has at least 32 bytes';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);
const files = useFiles();

beforeAll(() => files.write('secret', `${secret}\n`));

describe('a manifest', () => {
  test('protects the agent as soon as it is applied, with files next to it', async () => {
    const manifest = await files.write(
      'guarded.yaml',
      `name: guarded
model: builtin/echo
auth:
  type: jwt
  secret: \${file:secret}
security:
  ipWhitelist:
    enabled: true
    addresses: [127.0.0.1, '2001:db8::/32']
`,
    );
    expect(await operator.json('agents', 'apply', '-f', manifest)).toMatchObject({
      outcome: 'created',
    });
    const invocation = { path: { agent_id: 'guarded' }, body: { message: 'hello' } };
    await service.api(signToken(secret, usualClaims())).expect('invokeAgent', 200, invocation);
    const forged = signToken(`${secret}!`, usualClaims());
    await service.api(forged).expect('invokeAgent', 401, invocation);
  });

  test('is shown with masked secrets, which are not in the database', async () => {
    const { stdout } = await operator.run(['agents', 'get', 'guarded']);
    expect(stdout).toContain(`secret: \${file:${files.path('secret')}}`);
    expect(stdout).not.toContain(secret);
    const rows = await service.database.pool.query('SELECT policy::text FROM agents');
    expect(JSON.stringify(rows.rows)).not.toContain(secret);
  });

  test('with a secret in plain text is rejected, and the secret is not repeated', async () => {
    const manifest = await files.write(
      'clear.yaml',
      `name: clear\nmodel: builtin/echo\nauth: { type: jwt, secret: ${secret} }\n`,
    );
    const { code, stdout, stderr } = await operator.run(['agents', 'apply', '-f', manifest]);
    expect(code).toBe(2);
    expect(stderr).toContain('must be a reference to a secret');
    expect(stdout + stderr).not.toContain(secret);
  });

  test('with a secret that was stored in plain text by other means is masked as well', async () => {
    await tenant.newAgent({
      name: 'careless',
      policy: { auth: { type: 'jwt', secret } },
      endpoint: { url: 'https://agent.example', headers: { Authorization: `Bearer ${secret}` } },
    });
    const { stdout } = await operator.run(['agents', 'get', 'careless']);
    expect(stdout).toContain('secret: "******"');
    expect(stdout).toContain('Authorization: "******"');
    expect(stdout).not.toContain(secret);
  });

  test.each([
    ['enforceHttps: true', 'security.enforceHttps refuses every request'],
    ['mtls: { enabled: true, caCert: ca.pem }', 'security.mtls refuses every request'],
  ])('that currently rejects every request is applied with a note: %s', async (setting, note) => {
    await files.write('ca.pem', createAuthority('Clients').cert);
    const manifest = await files.write(
      'closed.yaml',
      `name: closed\nmodel: builtin/echo\nsecurity: { ${setting} }\n`,
    );
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', manifest]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Note: ${note}`)]);
  });
});

const uriIn = (text: string) => /otpauth:[^\s"]+/.exec(text)?.[0] ?? '';

describe('an authenticator', () => {
  beforeEach(waitForFreshCode);

  const update = (code: string) => ({
    path: { agent_id: 'vault' },
    headers: { 'x-mfa-code': code },
    body: { temperature: 0.5 },
  });

  test('is requested by a note, enrolled, used, replaced and removed', async () => {
    const manifest = await files.write(
      'vault.yaml',
      'name: vault\nmodel: builtin/echo\nmfa: { enabled: true, operations: [update, delete] }\n',
    );
    expect(await operator.json('agents', 'apply', '-f', manifest)).toMatchObject({
      notes: [
        `mfa refuses update and delete until you run: ${commandLine('mfa', 'enrol', 'vault')}`,
      ],
    });
    await tenant.api.expect('updateAgent', 403, update('123456'));
    expect(await operator.json('mfa', 'status', 'vault')).toMatchObject({ enrolled: false });

    const { stdout } = await operator.run(['mfa', 'enrol', 'vault']);
    const uri = uriIn(stdout);
    expect(uri).toMatch(
      /^otpauth:\/\/totp\/Agent%20Hosting:tenant-1%2Fvault\?secret=[A-Z2-7]{32}&/,
    );
    expect(stdout).toMatch(/[▀▄█]{10}/);
    await tenant.api.expect('updateAgent', 200, update(readEnrolment(uri).code()));
    expect(await operator.json('agents', 'apply', '-f', manifest)).not.toHaveProperty('notes');

    const asked = await operator.run(['mfa', 'enrol', 'vault']);
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('--yes');
    const replaced = await operator.run(['mfa', 'enrol', 'vault', '--yes', '--json']);
    const next = readEnrolment(uriIn(replaced.stdout));
    await tenant.api.expect('updateAgent', 403, update(readEnrolment(uri).code(1)));
    await tenant.api.expect('updateAgent', 200, update(next.code()));

    expect(await operator.json('mfa', 'remove', 'vault', '--yes')).toMatchObject({ removed: true });
    await tenant.api.expect('updateAgent', 403, update(next.code(1)));
    const again = await operator.run(['mfa', 'remove', 'vault', '--yes']);
    expect([again.code, again.stderr]).toEqual([4, "Agent 'vault' has no authenticator.\n"]);
  });

  test('that is locked says so', async () => {
    const { name } = await tenant.newAgent({
      policy: { mfa: { enabled: true, operations: ['update'] } },
    });
    const enrolled = await operator.run(['mfa', 'enrol', name]);
    const { wrongCode } = readEnrolment(uriIn(enrolled.stdout));
    const call = { ...update(wrongCode()), path: { agent_id: name } };
    await tenant.api.expect('updateAgent', 403, call);
    const before = await operator.run(['mfa', 'status', name]);
    expect(before.stdout).toContain('1 wrong code within a day.');
    for (let index = 1; index < 5; index += 1) await tenant.api.expect('updateAgent', 403, call);
    const after = await operator.run(['mfa', 'status', name]);
    expect(after.stdout).toMatch(
      /5 wrong codes within a day\.\nkey_\w+ is locked until \d{4}-\d\d-\d\dT/,
    );
  });

  test.each([['enrol'], ['status'], ['remove']])('of an unknown agent: %s', async (verb) => {
    const yes = verb === 'status' ? [] : ['--yes'];
    const { code, stderr } = await operator.run(['mfa', verb, 'missing', ...yes]);
    expect([code, stderr]).toEqual([4, "There is no agent 'missing'.\n"]);
  });

  test('has its secret encrypted in the database', async () => {
    const { id } = await tenant.newAgent();
    await operator.json('mfa', 'enrol', id);
    const { sealedSecret } = await service.database.prisma.mfaEnrolment.findFirstOrThrow({
      where: { agentId: id },
    });
    const opened = testSecrets.open(sealedSecret, `mfa ${id}`);
    expect(opened).toHaveLength(20);
    expect(Buffer.from(sealedSecret).includes(opened)).toBe(false);
  });
});

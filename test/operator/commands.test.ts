/** The operator's commands beside a running service: what they do counts there at once. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { type Operator, operatorWith } from '../helpers/operate.js';
import {
  startTestService,
  type Tenant,
  type TestService,
  testSecretsKey,
} from '../helpers/service.js';
import { temporaryFolder } from '../helpers/workspace.js';

const patience = 180_000;

let service: TestService;
let operator: Operator;
/** The first account, which commands are about unless they are told otherwise. */
let tenant: Tenant;

beforeAll(async () => {
  service = await startTestService();
  // What the first start made is out of the way, so that the tenant's account is the first.
  await service.database.prisma.account.deleteMany();
  tenant = await service.tenant();
  operator = operatorWith({
    DATABASE_URL: service.databaseUrl,
    SECRETS_KEY: testSecretsKey.toString('base64'),
  });
});

afterAll(() => service.stop());

describe('accounts', () => {
  test(
    'are made, listed, and given another tier',
    async () => {
      const made = await operator.json('accounts', 'create', 'acme', '--tier', 'pro');
      expect(made).toMatchObject({
        id: expect.stringMatching(/^acct_/),
        name: 'acme',
        tier: 'pro',
      });
      const changed = await operator.json('accounts', 'set-tier', 'acme', 'enterprise');
      expect(changed).toMatchObject({ name: 'acme', tier: 'enterprise' });
      const [list, table, again] = await Promise.all([
        operator.json('accounts', 'list'),
        operator.run(['accounts', 'list']),
        operator.run(['accounts', 'create', 'acme']),
      ]);
      expect(list).toMatchObject([{ name: 'tenant-1' }, { name: 'acme', tier: 'enterprise' }]);
      expect(table.stdout.split('\n')[0]).toMatch(/^NAME +TIER +ID +CREATED$/);
      expect(again).toEqual({
        code: 1,
        stdout: '',
        stderr: "There is an account named 'acme' already.\n",
      });
    },
    patience,
  );

  test(
    'a new tier counts in the running service within a second',
    async () => {
      const limit = async () =>
        (await tenant.api.call('listAgents')).headers.get('x-ratelimit-limit');
      expect(await limit()).toBe('20000');
      await operator.json('accounts', 'set-tier', 'tenant-1', 'free');
      await eventually(async () => {
        expect(await limit()).toBe('100');
      }, 1_000);
      await operator.json('accounts', 'set-tier', 'tenant-1', 'enterprise');
    },
    patience,
  );
});

describe('agents', () => {
  test(
    'are made from a manifest, brought into line, stopped, started and deleted',
    async () => {
      const file = path.join(await temporaryFolder(), 'support-bot.yaml');
      const manifest = 'name: support-bot\nmodel: builtin/echo\ntemperature: 0.3\n';
      await writeFile(file, manifest);
      const created = await operator.json('agents', 'apply', '-f', file);
      expect(created).toMatchObject({ outcome: 'created', changed: [] });
      const agent_id = 'support-bot';
      const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(data).toMatchObject({ model: 'builtin/echo', temperature: 0.3 });

      expect(await operator.json('agents', 'apply', '-f', file)).toMatchObject({
        outcome: 'unchanged',
      });
      const updated = await operator.run(
        ['agents', 'apply', '-f', '-'],
        `${manifest}timeout: 5s\n`,
      );
      expect(updated.stdout).toBe("Agent 'support-bot' updated (timeoutMs).\n");

      const [list, whole] = await Promise.all([
        operator.json('agents', 'list'),
        operator.json('agents', 'get', agent_id),
      ]);
      expect(list).toMatchObject([{ name: agent_id, status: 'running' }]);
      expect(whole).toMatchObject({ name: agent_id, timeoutMs: 5_000, historyLimit: 20 });

      await operator.json('agents', 'stop', agent_id);
      const stopped = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(stopped.data.status).toBe('stopped');
      const invocation = { path: { agent_id }, body: { message: 'hello' } };
      await eventually(() => tenant.api.expect('invokeAgent', 409, invocation), 1_000);
      await operator.json('agents', 'start', agent_id);
      await eventually(() => tenant.api.expect('invokeAgent', 200, invocation), 1_000);

      const asked = await operator.run(['agents', 'delete', agent_id]);
      expect(asked.code).toBe(1);
      expect(asked.stderr).toContain('--yes');
      await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      await operator.json('agents', 'delete', agent_id, '--yes');
      await tenant.api.expect('getAgent', 404, { path: { agent_id } });
    },
    patience,
  );

  test(
    'of another account are chosen with --account',
    async () => {
      const other = await service.tenant();
      await other.newAgent({ name: 'theirs' });
      const [theirs, ours, unknown] = await Promise.all([
        operator.json('agents', 'list', '--account', 'tenant-2'),
        operator.json('agents', 'list'),
        operator.run(['--account', 'nobody', 'agents', 'list']),
      ]);
      expect(theirs).toMatchObject([{ name: 'theirs' }]);
      expect(ours).toEqual([]);
      expect(unknown.code).toBe(1);
      expect(unknown.stderr).toContain('operator accounts list');
    },
    patience,
  );

  test(
    'that cannot run are refused with the reason',
    async () => {
      const { code, stderr } = await operator.run(
        ['agents', 'apply', '-f', '-'],
        'name: dreamer\nmodel: opnai/gpt-5\n',
      );
      expect(code).toBe(1);
      expect(stderr).toContain("model: provider 'opnai' is unknown; configured: builtin");
    },
    patience,
  );

  test(
    'in a manifest that does not fit are refused with line and column of each problem',
    async () => {
      const file = path.join(await temporaryFolder(), 'broken.yaml');
      await writeFile(file, 'name: Not A Name\nmodel: builtin/echo\ntemprature: 1\n');
      const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
      expect(code).toBe(1);
      expect(stderr.split('\n').slice(1, -1)).toEqual([
        expect.stringMatching(`^${file}:1:7  name `),
        `${file}:3:1  temprature is not a known setting`,
      ]);
      const missing = await operator.run(['agents', 'apply', '-f', '/nowhere.yaml']);
      expect(missing.code).toBe(1);
      expect(missing.stderr).toContain('/nowhere.yaml cannot be read');
    },
    patience,
  );
});

interface MadeKey {
  id: string;
  key: string;
  permissions: string[];
  agent_id: string | null;
  expires_at: string | null;
}

describe('keys', () => {
  const create = async (...args: string[]) =>
    (await operator.json('keys', 'create', '--name', 'made here', ...args)) as MadeKey;

  test(
    'are made for a role, for permissions, for an agent, for a time',
    async () => {
      const agent = await tenant.newAgent();
      const [whole, viewer, chosen, scoped] = await Promise.all([
        create(),
        create('--role', 'viewer'),
        create('--permissions', 'read,delete', '--expires', '30d'),
        create('--role', 'developer', '--agent', agent.name),
      ]);
      expect([...whole.permissions].sort()).toEqual(['delete', 'manage', 'read', 'write']);
      expect(viewer.permissions).toEqual(['read']);
      expect(chosen.permissions).toEqual(['read', 'delete']);
      const days = (Date.parse(chosen.expires_at ?? '') - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(30);
      expect(scoped.agent_id).toBe(agent.id);
      await service.api(scoped.key).expect('getAgent', 200, { path: { agent_id: agent.id } });
      await service.api(viewer.key).expect('listApiKeys', 403);

      const { stdout } = await operator.run(['keys', 'create', '--name', 'for a person']);
      expect(stdout).toMatch(/^ahs_\w{46}\nKeep it: it is shown this once\./);
    },
    patience,
  );

  test(
    'are listed without the key, and revoked in the running service',
    async () => {
      const { id, key } = await create();
      await service.api(key).expect('listAgents', 200);
      const [list, table] = await Promise.all([
        operator.json('keys', 'list'),
        operator.run(['keys', 'list']),
      ]);
      expect((list as MadeKey[]).map((record) => record.id)).toContain(id);
      expect(JSON.stringify(list)).not.toContain(key);
      expect(table.stdout).toContain(`ahs_…${key.slice(-4)}`);
      expect(await operator.json('keys', 'revoke', id)).toEqual({ id, revoked: true });
      await eventually(() => service.api(key).expect('listAgents', 401), 1_000);
      const again = await operator.run(['keys', 'revoke', id]);
      expect(again).toMatchObject({ code: 1, stderr: `There is no API key '${id}'.\n` });
    },
    patience,
  );

  test(
    'are rotated, at once or with a time in which both work',
    async () => {
      const [old, oldWithGrace] = await Promise.all([create('--role', 'viewer'), create()]);
      const [fresh, freshWithGrace] = (await Promise.all([
        operator.json('keys', 'rotate', old.id),
        operator.json('keys', 'rotate', oldWithGrace.id, '--grace', '24h'),
      ])) as (MadeKey & { replaces: { id: string; works_until: string | null } })[];
      expect(fresh).toMatchObject({
        permissions: ['read'],
        replaces: { id: old.id, works_until: null },
      });
      await service.api(fresh?.key).expect('listAgents', 200);
      await eventually(() => service.api(old.key).expect('listAgents', 401), 1_000);

      for (const { key } of [oldWithGrace, { key: freshWithGrace?.key }]) {
        await service.api(key).expect('listAgents', 200);
      }
      const until = Date.parse(freshWithGrace?.replaces.works_until ?? '');
      expect(Math.round((until - Date.now()) / 3_600_000)).toBe(24);
      const { data } = await tenant.api.expect('listApiKeys', 200, { query: { limit: 100 } });
      const listed = data.find(({ id }) => id === oldWithGrace.id);
      expect(Date.parse(listed?.expires_at ?? '')).toBe(until);
    },
    patience,
  );
});

describe('wrong usage', () => {
  test.each([
    [['--help'], 0],
    [['keys', 'create', '--help'], 0],
    [[], 2],
    [['keys'], 2],
    [['keys', 'crate'], 2],
    [['keys', 'create'], 2],
    [['keys', 'create', '--name', 'x', '--role', 'king'], 2],
    [['keys', 'create', '--name', 'x', '--permissions', 'read,fly'], 2],
    [['keys', 'rotate', 'x', '--grace', 'soon'], 2],
    [['accounts', 'create', 'x', '--tier', 'gold'], 2],
  ])(
    '%j ends with %i',
    async (args, code) => {
      const ended = await operator.run(args);
      expect(ended.code).toBe(code);
      expect(code === 0 ? ended.stdout : ended.stderr).toMatch(/usage|error|--help/i);
    },
    patience,
  );
});

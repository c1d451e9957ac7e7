/** Every command of the operator as a real process beside a running service, in which it counts at once. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { besides, type Operator, operatorProcess } from '../helpers/operate.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
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
  operator = operatorProcess(besides(service));
});

afterAll(() => service.stop());

describe('beside a running service', () => {
  test(
    'accounts are made, listed, and given another tier',
    async () => {
      const limit = async () =>
        (await tenant.api.call('listAgents')).headers.get('x-ratelimit-limit');
      expect(await limit()).toBe('20000');
      const [made, changed] = await Promise.all([
        operator.json('accounts', 'create', 'acme', '--tier', 'pro'),
        operator.json('accounts', 'set-tier', 'tenant-1', 'free'),
      ]);
      expect(made).toMatchObject({ id: expect.stringMatching(/^acct_/), tier: 'pro' });
      expect(changed).toMatchObject({ name: 'tenant-1', tier: 'free' });
      await eventually(async () => {
        expect(await limit()).toBe('100');
      }, 1_000);
      const list = await operator.json('accounts', 'list');
      expect(list).toMatchObject([{ name: 'tenant-1' }, { name: 'acme', tier: 'pro' }]);
    },
    patience,
  );

  test(
    'agents are made from a manifest, brought into line, stopped, started and deleted',
    async () => {
      const file = path.join(await temporaryFolder(), 'support-bot.yaml');
      const manifest = 'name: support-bot\nmodel: builtin/echo\ntemperature: 0.3\n';
      await writeFile(file, manifest);
      const created = await operator.json('agents', 'apply', '-f', file);
      expect(created).toMatchObject({ outcome: 'created', changed: [] });
      const agent_id = 'support-bot';
      const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(data).toMatchObject({ model: 'builtin/echo', temperature: 0.3 });

      const fromInput = ['agents', 'apply', '-f', '-'];
      const updated = await operator.run(fromInput, `${manifest}timeout: 5s\n`);
      expect(updated.stdout).toBe("Agent 'support-bot' updated (timeoutMs).\n");
      const [list, whole] = await Promise.all([
        operator.json('agents', 'list'),
        operator.json('agents', 'get', agent_id),
      ]);
      expect(list).toMatchObject([{ name: agent_id, status: 'running' }]);
      expect(whole).toMatchObject({ name: agent_id, timeoutMs: 5_000, historyLimit: 20 });

      const invocation = { path: { agent_id }, body: { message: 'hello' } };
      await operator.json('agents', 'stop', agent_id);
      const stopped = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(stopped.data.status).toBe('stopped');
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
    'keys are made, listed, rotated and revoked',
    async () => {
      const made = (await operator.json('keys', 'create', '--name', 'made here')) as {
        id: string;
        key: string;
      };
      await service.api(made.key).expect('listAgents', 200);
      const list = await operator.json('keys', 'list');
      expect(JSON.stringify(list)).toContain(made.id);
      expect(JSON.stringify(list)).not.toContain(made.key);

      const rotated = (await operator.json('keys', 'rotate', made.id, '--grace', '24h')) as {
        id: string;
        key: string;
      };
      for (const { key } of [made, rotated]) await service.api(key).expect('listAgents', 200);
      expect(await operator.json('keys', 'revoke', made.id)).toEqual({
        id: made.id,
        revoked: true,
      });
      await eventually(() => service.api(made.key).expect('listAgents', 401), 1_000);
      await service.api(rotated.key).expect('listAgents', 200);
    },
    patience,
  );

  test(
    'a failure ends with 1, and wrong usage with 2',
    async () => {
      const [failure, usage] = await Promise.all([
        operator.run(['keys', 'revoke', 'key_01m3v7xjz0etnv3twffmsrhx7s']),
        operator.run(['keys', 'crate']),
      ]);
      expect(failure).toEqual({
        code: 1,
        stdout: '',
        stderr: "There is no API key 'key_01m3v7xjz0etnv3twffmsrhx7s'.\n",
      });
      expect(usage).toMatchObject({ code: 2, stdout: '' });
      expect(usage.stderr).toContain("unknown command 'crate'");
    },
    patience,
  );
});

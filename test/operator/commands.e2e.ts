/** Every operator command as a real process; changes apply to a running service at once. */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';

const timeoutMs = 180_000;

const service = useService();
/** The default account of the commands. */
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorProcess(() => environmentFor(service));

describe('with a running service', () => {
  test(
    'agents are created from a manifest, listed, stopped, started and deleted',
    async () => {
      const agent_id = 'support-bot';
      const manifest = 'name: support-bot\nmodel: builtin/echo\ntemperature: 0.3\ntimeout: 5s\n';
      const created = await operator.run(['agents', 'apply', '-f', '-'], manifest);
      expect(created).toEqual({ code: 0, stdout: "Agent 'support-bot' created.\n", stderr: '' });
      const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(data).toMatchObject({ model: 'builtin/echo', temperature: 0.3 });
      const [list, whole] = await Promise.all([
        operator.json('agents', 'list'),
        operator.json('agents', 'get', agent_id),
      ]);
      expect(list).toMatchObject([{ name: agent_id, status: 'running' }]);
      expect(whole).toMatchObject({ name: agent_id, timeout: '5s', history: 20 });

      const invocation = { path: { agent_id }, body: { message: 'hello' } };
      await operator.json('agents', 'stop', agent_id);
      const stopped = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      expect(stopped.data.status).toBe('stopped');
      await eventually(() => tenant.api.expect('invokeAgent', 409, invocation));
      await operator.json('agents', 'start', agent_id);
      await eventually(() => tenant.api.expect('invokeAgent', 200, invocation));

      await operator.json('agents', 'delete', agent_id, '--yes');
      await tenant.api.expect('getAgent', 404, { path: { agent_id } });
    },
    timeoutMs,
  );

  test(
    'keys are created, listed, rotated and revoked',
    async () => {
      const made = (await operator.json(
        ...['keys', 'create', '--name', 'made here', '--role', 'admin'],
      )) as {
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
      expect(await operator.json('keys', 'revoke', made.id, '--yes')).toEqual({
        id: made.id,
        revoked: true,
      });
      await eventually(() => service.api(made.key).expect('listAgents', 401));
      await service.api(rotated.key).expect('listAgents', 200);

      const args = ['keys', 'revoke', '-', '--with-created', '--yes'];
      const leaked = await operator.run(args, `${rotated.key}\n`);
      expect(leaked).toMatchObject({ code: 0, stderr: '' });
      expect(leaked.stdout).toContain(`${rotated.id} no longer works.`);
      expect(leaked.stdout).not.toContain(rotated.key);
      await eventually(() => service.api(rotated.key).expect('listAgents', 401));
    },
    timeoutMs,
  );

  test(
    'wrong usage exits with 2',
    async () => {
      const { code, stdout, stderr } = await operator.run(['keys', 'crate']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain("unknown command 'crate'");
    },
    timeoutMs,
  );

  // Last, because the commands above need no --account while there is only one.
  test(
    'accounts are created, listed, and given another tier or cap',
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
      });
      const list = await operator.json('accounts', 'list');
      expect(list).toMatchObject([{ name: 'tenant-1' }, { name: 'acme', tier: 'pro' }]);
      const capped = await operator.json('accounts', 'set-cap', 'acme', 'webhooks', '7');
      expect(capped).toMatchObject({ tier: 'pro', caps: { webhooks: 7 } });
      await operator.json('accounts', 'set-cap', 'acme', 'perMinute', 'unlimited');
      const both = await operator.run(['accounts', 'set-cap', 'acme', 'bytesPerDay', '5000000000']);
      expect(both.stdout).toBe(
        "Caps of account 'acme': perMinute unlimited, webhooks 7, bytesPerDay 5000000000.\n",
      );
      await operator.json('accounts', 'set-cap', 'acme', 'bytesPerDay', 'default');
      await operator.json('accounts', 'set-cap', 'acme', 'perMinute', 'default');
      const reset = await operator.json('accounts', 'set-cap', 'acme', 'webhooks', 'default');
      expect(reset).toMatchObject({ caps: {} });
    },
    timeoutMs,
  );
});

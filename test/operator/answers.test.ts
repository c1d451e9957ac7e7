/** The output of operator commands: tables, JSON, and errors that say what to do. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandLine } from '../../server/contract/command-line.js';
import { eventually } from '../helpers/eventually.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);

async function manifestFile(text: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'agent.yaml');
  await writeFile(file, text);
  return file;
}

describe('accounts', () => {
  test('are listed in a table', async () => {
    const { code, stdout, stderr } = await operator.run(['accounts', 'list']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^NAME +TIER +CAPS +BUDGET +ID +CREATED\ntenant-1 +enterprise +– +– +acct_\S+ +\d{4}-\d\d-\d\d [\d:]{8}Z\n$/,
    );
  });

  test.each([
    ['a name that is taken', 'tenant-1', 5, "An account named 'tenant-1' already exists."],
    ['a name that is none', ' ', 2, 'is not a valid account name'],
  ])('%s is refused', async (_name, name, exitCode, reason) => {
    const { code, stderr } = await operator.run(['accounts', 'create', name]);
    expect(code).toBe(exitCode);
    expect(stderr).toContain(reason);
  });

  test('without agents have an empty list', async () => {
    expect(await operator.json('agents', 'list')).toEqual([]);
    expect(await operator.run(['agents', 'list'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No results.\n',
    });
  });
});

describe('agents', () => {
  test('are deleted only with confirmation', async () => {
    const { name } = await tenant.newAgent();
    const { code, stderr } = await operator.run(['agents', 'delete', name]);
    expect(code).toBe(2);
    expect(stderr).toBe('This cannot be undone. Pass --yes to skip the confirmation.\n');
    await tenant.api.expect('getAgent', 200, { path: { agent_id: name } });
    await operator.json('agents', 'delete', name, '--yes');
  });
});

describe('manifests', () => {
  test('update an agent, and have no effect when applied again', async () => {
    const apply = async (text: string) =>
      (await operator.run(['agents', 'apply', '-f', await manifestFile(text)])).stdout;
    const manifest = 'name: steady\nmodel: builtin/echo\n';
    expect(await apply(manifest)).toBe("Agent 'steady' created.\n");
    expect(await apply(manifest)).toBe("Agent 'steady' unchanged.\n");
    const changed = await apply(`${manifest}timeout: 5s\ntemperature: 0.5\n`);
    expect(changed).toBe("Agent 'steady' updated (temperature, timeout).\n");
  });

  test('that are invalid are rejected with the line and column of each problem', async () => {
    const file = await manifestFile('name: Not A Name\nmodel: builtin/echo\ntemprature: 1\n');
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
    expect(code).toBe(2);
    expect(stderr.trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(`^${file}:1:7  name `),
      `${file}:3:1  temprature is not a known setting`,
    ]);
  });

  test('that cannot run are rejected with the reason', async () => {
    const file = await manifestFile('name: dreamer\nmodel: opnai/gpt-5\n');
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
    expect(code).toBe(2);
    expect(stderr).toContain("model: provider 'opnai' is unknown; configured: builtin");
  });

  test.each(['59s', '32d'])('with a budget for %s are rejected', async (window) => {
    const file = await manifestFile(
      `name: spender\nmodel: builtin/echo\nbudget: {tokens: 1, window: ${window}}\n`,
    );
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('budget.window: must be from 1m to 31d');
  });

  test('that do not exist are named', async () => {
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', '/nowhere.yaml']);
    expect(code).toBe(1);
    expect(stderr).toContain('/nowhere.yaml cannot be read');
  });
});

interface MadeKey {
  id: string;
  key: string;
  permissions: string[];
  agent_id: string | null;
  expires_at: string | null;
  replaces: { id: string; works_until: string | null };
}

describe('keys', () => {
  const create = async (...args: string[]) =>
    (await operator.json('keys', 'create', '--name', 'made here', ...args)) as MadeKey;
  const createAdmin = () => create('--role', 'admin');
  const rotate = async (...args: string[]) =>
    (await operator.json('keys', 'rotate', '--yes', ...args)) as MadeKey;

  test('are created for a role, permissions, an agent or a period', async () => {
    const agent = await tenant.newAgent();
    expect([...(await createAdmin()).permissions].sort()).toEqual([
      'delete',
      'manage',
      'read',
      'write',
    ]);
    expect((await create('--role', 'viewer')).permissions).toEqual(['read']);
    const chosen = await create('--permissions', 'read,delete', '--expires', '30d');
    expect(chosen.permissions).toEqual(['read', 'delete']);
    const days = (Date.parse(chosen.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    const scoped = await create('--role', 'developer', '--agent', agent.name);
    expect(scoped.agent_id).toBe(agent.id);
    await service.api(scoped.key).expect('getAgent', 200, { path: { agent_id: agent.id } });
  });

  test('need a role or permissions', async () => {
    const before = await tenant.api.expect('listApiKeys', 200);
    const { code, stdout, stderr } = await operator.run(['keys', 'create', '--name', 'forgetful']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'Say what the key may do, with --role or --permissions:\n' +
        '  --role admin      read, write, delete, manage\n' +
        '  --role developer  read, write\n' +
        '  --role viewer     read\n',
    );
    const after = await tenant.api.expect('listApiKeys', 200);
    expect(after.data).toHaveLength(before.data.length);
  });

  test('are shown only once', async () => {
    const { stdout, stderr } = await operator.run([
      ...['keys', 'create', '--name', 'for a person', '--role', 'admin'],
    ]);
    const key = stdout.trim();
    expect(stdout).toMatch(/^ahs_\w{46}\n$/);
    expect(stderr).toMatch(/^Store it now: it is shown only once\. Its id is key_\w+\.\n$/);
    const list = await operator.run(['keys', 'list']);
    expect(list.stdout).toContain(`ahs_…${key.slice(-4)}`);
    expect(list.stdout).not.toContain(key);
  });

  test('are rotated at once: the old one is revoked, the new one has the same permissions', async () => {
    const old = await create('--role', 'viewer');
    const fresh = await rotate(old.id);
    expect(fresh.permissions).toEqual(['read']);
    expect(fresh.replaces).toEqual({ id: old.id, works_until: null });
    await service.api(fresh.key).expect('listAgents', 200);
    await eventually(() => service.api(old.key).expect('listAgents', 401));
  });

  test('are rotated with an overlap in which both work', async () => {
    const old = await createAdmin();
    const fresh = await rotate(old.id, '--grace', '24h');
    for (const { key } of [old, fresh]) await service.api(key).expect('listAgents', 200);
    const until = Date.parse(fresh.replaces.works_until ?? '');
    expect(Math.round((until - Date.now()) / 3_600_000)).toBe(24);
    const { data } = await tenant.api.expect('listApiKeys', 200, { query: { limit: 100 } });
    const listed = data.find(({ id }) => id === old.id);
    expect(Date.parse(listed?.expires_at ?? '')).toBe(until);
  });

  test.each([['revoke'], ['rotate']])('end by %s only with confirmation', async (verb) => {
    const { id, key } = await createAdmin();
    const { code, stdout, stderr } = await operator.run(['keys', verb, id]);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'This cannot be undone. Pass --yes to skip the confirmation.\n',
    });
    await service.api(key).expect('listAgents', 200);
    expect((await operator.run(['keys', verb, 'key_none'])).stderr).toContain(
      `There is no key 'key_none'. See: ${commandLine('keys', 'list')}\n`,
    );
    expect((await operator.run(['keys', verb, id, '--yes'])).code).toBe(0);
    await eventually(() => service.api(key).expect('listAgents', 401));
  });

  test('that have ended cannot be rotated, since the new key would have ended too', async () => {
    const { id } = await tenant.newKey({ name: 'ended', expiresAt: new Date(Date.now() - 1_000) });
    const { code, stderr } = await operator.run(['keys', 'rotate', id, '--grace', '1h']);
    expect(code).toBe(5);
    const permissions = 'read,write,delete,manage';
    expect(stderr).toContain(
      commandLine('keys', 'create', '--name', 'ended', '--permissions', permissions),
    );
  });

  test('are replaced by one key, even with concurrent rotations', async () => {
    const { id } = await createAdmin();
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => operator.run(['keys', 'rotate', id, '--yes'])),
    );
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 4, 4, 4, 4]);
  });
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
    [['keys', 'create', '--name', 'x', '--permissions', ''], 2],
    [['keys', 'create', '--name', 'x', '--permissions', 'read,fly'], 2],
    [['keys', 'create', '--name', 'x', '--role', 'viewer', '--permissions', 'read'], 2],
    [['keys', 'rotate', 'x', '--grace', 'soon'], 2],
    [['accounts', 'create', 'x', '--tier', 'gold'], 2],
    [['accounts', 'set-tier', 'x'], 2],
    [['accounts', 'set-cap', 'x', 'webhooks', '-1'], 2],
    [['accounts', 'set-cap', 'x', 'bytesPerDay', 'none'], 2],
    [['agents', 'apply'], 2],
  ])('%j exits with %i', async (args, code) => {
    const ended = await operator.run(args);
    expect(ended.code).toBe(code);
    expect(code === 0 ? ended.stdout : ended.stderr).toMatch(/usage|error/i);
  });

  test.each([
    ['webhooks', '10000000', 'from 0 to 9999999'],
    ['perMinute', '0', 'from 1 to 1000000000'],
    ['burst', '1000001', 'from 1 to 1000000'],
  ])('a cap on %s of %s is out of its range', async (cap, value, range) => {
    const ended = await operator.run(['accounts', 'set-cap', 'default', cap, value]);
    expect(ended).toEqual({
      code: 2,
      stdout: '',
      stderr: `${cap} must be ${range}, or unlimited.\n`,
    });
  });

  test('help shows the help of a command', async () => {
    const help = await operator.run(['help', 'keys']);
    expect(help).toEqual(await operator.run(['keys', '--help']));
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('rotate') });
  });
});

/** Commands of an installation with several accounts, whose agents have the same names. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commandLine } from '../../server/contract/command-line.js';
import { setUpInstallation } from '../../server/process/first-start.js';
import { lostKeyHint } from '../../server/process/welcome.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { testSecrets, useService, useTenant } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const service = useService();
const first = useTenant(service, { isOnlyAccount: true });
const second = useFixture(() => service.tenant());
const operator = operatorInProcess(service);

const shop = { agent_id: 'shop' };

async function manifestFile(): Promise<string> {
  const file = path.join(await temporaryFolder(), 'shop.yaml');
  await writeFile(file, 'name: shop\nmodel: builtin/echo\ntemperature: 0.9\n');
  return file;
}

describe('a change', () => {
  test('of an agent whose name two accounts use needs the account', async () => {
    for (const { newAgent } of [first, second]) await newAgent({ name: 'shop' });
    const { code, stdout, stderr } = await operator.run(['agents', 'delete', 'shop', '--yes']);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "There are several accounts: 'tenant-1', 'tenant-2'. Say which one to change, with --account NAME.\n",
    });
    await first.api.expect('getAgent', 200, { path: shop });
    const named = ['--account', 'tenant-2'];
    expect((await operator.run(['agents', 'delete', 'shop', '--yes', ...named])).code).toBe(0);
    await first.api.expect('getAgent', 200, { path: shop });
    await second.api.expect('getAgent', 404, { path: shop });
  });

  test.each([
    ['agents stop shop'],
    ['agents start shop'],
    ['keys create --name another --role viewer'],
    ['keys rotate key_any --yes'],
    ['keys revoke key_any --yes'],
    ['invocations cancel req_any'],
    ['deliveries replay evt_any'],
    ['deliveries dead-letter evt_any'],
    ['mfa enrol shop'],
    ['mfa remove shop --yes'],
    ['users erase ada --yes'],
  ])('by %s needs the account', async (command) => {
    const { code, stderr } = await operator.run(command.split(' '));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^There are several accounts: .*--account NAME\.\n$/),
    });
  });

  test('by a manifest needs the account, and a comparison does not', async () => {
    const file = await manifestFile();
    const applied = await operator.run(['agents', 'apply', '-f', file]);
    expect(applied).toMatchObject({ code: 2, stderr: expect.stringContaining('--account NAME') });
    const compared = await operator.run(['agents', 'diff', '-f', file]);
    expect(compared).toMatchObject({ code: 1, stderr: expect.stringContaining("'tenant-1'") });
  });

  test('of an account names few of many accounts', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `crowd-${n}`);
    await service.database.prisma.account.createMany({
      data: names.map((name) => ({ id: `acct_${name}`, name })),
    });
    const { stderr } = await operator.run(['agents', 'stop', 'shop']);
    expect(stderr).toMatch(/^There are several accounts: ('[\w-]+', ){10}…\. Say/);
    await service.database.prisma.account.deleteMany({ where: { name: { in: names } } });
  });
});

describe('a read', () => {
  test('uses the account of --account, before or after the command', async () => {
    const { id } = await second.newAgent({ name: 'theirs' });
    for (const args of [
      ['agents', 'list', '--account', 'tenant-2'],
      ['--account', 'tenant-2', 'agents', 'list'],
    ]) {
      expect(await operator.json(...args)).toEqual(
        expect.arrayContaining([expect.objectContaining({ id })]),
      );
    }
    const unknown = await operator.run(['agents', 'list', '--account', 'missing']);
    expect(unknown).toMatchObject({
      code: 4,
      stderr: `There is no account 'missing'. See: ${commandLine('accounts', 'list')}\n`,
    });
  });

  test.each([
    ['agents list'],
    ['agents list --json'],
    ['keys list'],
    ['invocations list'],
    ['deliveries list'],
    ['usage'],
  ])('by %s says which account it shows', async (command) => {
    const { code, stderr } = await operator.run(command.split(' '));
    expect(code).toBe(0);
    const note = "Account 'tenant-1', which is the first. Choose another with --account.\n";
    expect(stderr.split(note)).toHaveLength(2);
    const named = await operator.run([...command.split(' '), '--account', 'tenant-1']);
    expect(named.stderr).not.toContain(note);
  });
});

test('a suggested command names the account', async () => {
  const { stderr } = await operator.run('keys revoke key_none --account tenant-2'.split(' '));
  expect(stderr).toContain(`See: ${commandLine('keys', 'list', '--account', 'tenant-2')}`);
});

test('the command for a lost key names the account', async () => {
  const { accountArguments } = await setUpInstallation(service.database, testSecrets);
  expect(lostKeyHint(accountArguments)).toMatch(/ keys create .* --role admin --account tenant-1$/);
});

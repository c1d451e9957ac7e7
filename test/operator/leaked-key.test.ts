/** A key that has leaked is ended with everything that was created with it, and is printed nowhere. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { insertEvent } from '../helpers/database/events.js';
import { eventually } from '../helpers/eventually.js';
import { useFiles } from '../helpers/programs/files.js';
import { root } from '../helpers/programs/workspace.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { type Tenant, useService } from '../helpers/service/service.js';

const service = useService();
const operator = operatorInProcess(service);
const files = useFiles();

let tenant: Tenant;
let leaked: { id: string; key: string };
let account: string;

beforeEach(async () => {
  tenant = await service.tenant();
  leaked = await tenant.newKey();
  const where = { id: tenant.accountId };
  ({ name: account } = await service.database.prisma.account.findUniqueOrThrow({ where }));
});

async function createKey(key: string): Promise<{ id: string; key: string }> {
  const body = { name: 'child', permissions: ['manage', 'write'] };
  return (await service.api(key).expect('createApiKey', 201, { body })).data;
}

async function createWebhook(key: string): Promise<string> {
  const body = { url: 'https://93.184.216.34/agents', events: ['agent.completed'] };
  return (await service.api(key).expect('createWebhook', 201, { body })).data.id;
}

async function webhooksLeft(): Promise<string[]> {
  const { data } = await tenant.api.expect('listWebhooks', 200);
  return data.map(({ id }) => id);
}

const works = async (key: string) => (await service.api(key).call('listWebhooks')).status !== 401;
const revoke = (...args: string[]) => operator.run(['keys', 'revoke', ...args]);

describe('keys revoke --with-created', () => {
  test('ends what was created with the key, directly or not, and nothing else', async () => {
    const child = await createKey(leaked.key);
    const grandchild = await createKey(child.key);
    const other = await createKey(tenant.key);
    const created = [await createWebhook(leaked.key), await createWebhook(grandchild.key)];
    const kept = await createWebhook(other.key);
    const { code, stdout, stderr } = await revoke(leaked.key, '--with-created', '--yes');
    expect([code, stderr]).toEqual([0, '']);
    for (const id of [leaked.id, child.id, grandchild.id, ...created]) expect(stdout).toContain(id);
    expect(stdout).not.toContain(leaked.key);
    await eventually(async () => {
      expect(await Promise.all([leaked, child, grandchild].map(({ key }) => works(key)))).toEqual([
        ...[false, false, false],
      ]);
    });
    expect(await works(other.key)).toBe(true);
    expect(await webhooksLeft()).toEqual([kept]);
  });

  test('finds what was created with a key that was revoked before', async () => {
    const child = await createKey(leaked.key);
    const grandchild = await createKey(child.key);
    const webhook = await createWebhook(grandchild.key);
    for (const { id } of [leaked, child]) await revoke(id, '--yes', '--account', account);
    const again = () =>
      operator.json('keys', 'revoke', leaked.id, '--with-created', '--yes', '--account', account);
    expect(await again()).toEqual({
      id: leaked.id,
      revoked: true,
      created: { keys: [grandchild.id], webhooks: [webhook] },
    });
    expect(await again()).toMatchObject({ created: { keys: [], webhooks: [] } });
    await eventually(async () => {
      expect(await works(grandchild.key)).toBe(false);
    });
  });

  test('drops the pending deliveries of the webhooks', async () => {
    const webhookId = await createWebhook(leaked.key);
    const { id: agentId } = await tenant.newAgent();
    const { accountId } = tenant;
    await insertEvent(service.database, { accountId, agentId, webhookIds: [webhookId] });
    await revoke(leaked.key, '--with-created', '--yes');
    const purges = await service.database.prisma.purge.findMany({ where: { accountId } });
    expect(purges).toMatchObject([{ table: 'deliveries', ownerId: webhookId }]);
  });

  test('needs a confirmation that says how much ends', async () => {
    await createWebhook(leaked.key);
    const { code } = await revoke(leaked.key, '--with-created');
    expect(code).toBe(2);
    expect(await works(leaked.key)).toBe(true);
    expect(await webhooksLeft()).toHaveLength(1);
  });
});

test('without --with-created the key alone ends, and a note says what is left', async () => {
  const child = await createKey(leaked.key);
  const { code, stdout, stderr } = await revoke(leaked.key, '--yes');
  expect([code, stdout]).toEqual([0, `${leaked.id} no longer works.\n`]);
  expect(stderr).toContain('1 key and 0 webhooks');
  await eventually(async () => {
    expect(await works(leaked.key)).toBe(false);
  });
  expect(await works(child.key)).toBe(true);
});

test('a whole key is found in any account', async () => {
  await service.tenant();
  expect((await revoke(leaked.key, '--yes')).code).toBe(0);
});

describe('the key is in no message', () => {
  const secret = () => leaked.key.slice(4);

  test.each<[string, () => string[], number]>([
    ['cut off', () => [leaked.key.slice(0, -1)], 2],
    ['without its prefix', () => [secret()], 2],
    [
      'with a typing error',
      () => [`${leaked.key.slice(0, -1)}${leaked.key.endsWith('0') ? 1 : 0}`],
      2,
    ],
    ['given twice', () => [leaked.key, leaked.key], 2],
  ])('if it is %s', async (_what, args, expected) => {
    const { code, stdout, stderr } = await revoke(...args(), '--yes');
    expect(code).toBe(expected);
    expect(`${stdout}${stderr}`).not.toContain(secret().slice(0, 10));
    expect(stderr).not.toBe('');
  });

  test.each([
    ['a command', () => ['keys', leaked.key]],
    ['an option', () => ['keys', 'revoke', `--${leaked.key}`]],
    ['the value of an option', () => ['keys', 'list', '--agent', leaked.key]],
    ['an account', () => ['keys', 'revoke', leaked.id, '--account', leaked.key, '--yes']],
    ['the id of another command', () => ['keys', 'rotate', leaked.key, '--yes']],
  ])('if it is taken for %s', async (_what, args) => {
    const { stdout, stderr } = await operator.run(args());
    expect(`${stdout}${stderr}`).not.toContain(secret().slice(0, 10));
  });

  test('if no account has it', async () => {
    await service.database.prisma.apiKey.delete({ where: { id: leaked.id } });
    const { code, stdout, stderr } = await revoke(leaked.key, '--yes');
    expect([code, stdout, stderr]).toEqual([4, '', 'No account has that key.\n']);
  });
});

test('the commands of the page on leaked keys work as they stand', async () => {
  const page = await readFile(path.join(root, 'docs/operations/leaked-key.md'), 'utf8');
  const commands = Array.from(
    page.matchAll(/npm run (?:--silent )?operator -- ([^<>\n]+)/g),
    ([, text = '']) =>
      Array.from(text.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) => quoted ?? word ?? ''),
  );
  const manifest = await files.write(
    'support-bot.yaml',
    'name: support-bot\nmodel: builtin/echo\n',
  );
  // The tests of processes pass the key on standard input.
  const values: Record<string, string> = { '-': leaked.key, 'support-bot.yaml': manifest };
  const webhook = await createWebhook(leaked.key);
  const codes: unknown[] = [];
  for (const words of commands) {
    const args = words.map((word) => values[word] ?? word);
    codes.push([...words.slice(0, 2), (await operator.run([...args, '--account', account])).code]);
  }
  expect(codes).toEqual([
    ['keys', 'revoke', 0],
    ['agents', 'diff', 1],
    ['agents', 'apply', 0],
    ['keys', 'create', 0],
  ]);
  expect(await webhooksLeft()).not.toContain(webhook);
});

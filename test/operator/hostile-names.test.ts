/** Names with control characters, stored before they were rejected: the operator shows them escaped. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { firstUnprintable, hostileName, unprintable } from '../helpers/text/unprintable.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);

beforeAll(async () => {
  const { prisma } = service.database;
  const agent = await tenant.newAgent();
  await prisma.agent.update({ where: { id: agent.id }, data: { name: hostileName } });
  const key = await tenant.newKey();
  await prisma.apiKey.update({ where: { id: key.id }, data: { name: hostileName } });
});

test.each([['agents'], ['keys']])('%s are listed in one row each, escaped', async (noun) => {
  const { stdout } = await operator.run([noun, 'list']);
  expect(stdout).toContain('\\u001b[2J');
  expect(firstUnprintable(stdout)).toBeUndefined();
  const { length } = (await operator.json(noun, 'list')) as unknown[];
  expect(stdout.trimEnd().split('\n')).toHaveLength(1 + length);
});

test.each([['agents'], ['keys']])('%s have the same name in JSON, escaped', async (noun) => {
  const { stdout } = await operator.run([noun, 'list', '--json']);
  expect(firstUnprintable(stdout)).toBeUndefined();
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: hostileName }));
});

test.each([
  ['agents', 'get', hostileName],
  ['agents', 'stop', hostileName],
  ['agents', 'get', `no ${hostileName}`],
  ['agents', 'list', '--account', hostileName],
  ['agents', 'apply', '-f', hostileName],
  ['accounts', 'create', hostileName],
  ['keys', 'rotate', hostileName],
  ['mfa', 'status', hostileName],
])('%s %s prints no control character', async (...args) => {
  const { stdout, stderr } = await operator.run(args);
  expect(`${stdout}${stderr}`).toContain('\\u001b[2J');
  expect(firstUnprintable(`${stdout}${stderr}`)).toBeUndefined();
});

test('the QR code keeps its terminal colours', async () => {
  const { name } = await tenant.newAgent();
  const { stdout } = await operator.run(['mfa', 'enrol', name]);
  expect(stdout).toContain('\u001b[');
});

describe('new ones are rejected', () => {
  test.each(unprintable.filter((character) => character !== '\0'))(
    'for a key, with %j',
    async (character) => {
      const args = ['keys', 'create', '--name', `Help${character}desk`, '--role', 'viewer'];
      const { code, stderr } = await operator.run(args);
      expect(code).toBe(2);
      expect(stderr).toContain('must not contain control characters');
    },
  );

  test('for a file in a manifest, naming the setting', async () => {
    const file = path.join(await temporaryFolder(), 'agent.yaml');
    const mtls = '{ enabled: true, caCert: "ca\\u202e.pem" }';
    await writeFile(file, `name: safe\nmodel: builtin/echo\nsecurity: { mtls: ${mtls} }\n`);
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', file]);
    expect(code).toBe(2);
    expect(stderr).toContain('security.mtls.caCert must not contain control characters');
  });
});

/** Operator commands with the embedded database, with and without a running service. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { apiClient, statusAt } from '../helpers/service/api.js';
import { dataDirectory, postgresOn } from '../helpers/database/data-directory.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { startBuilt, startServiceProcess } from '../helpers/programs/process.js';

const unprivilegedUser = { uid: 65_534, gid: 65_534 };

const files = (folder: string) => readdir(folder, { recursive: true });

describe('with the embedded database', () => {
  test("a command starts PostgreSQL if no service is running, and otherwise uses the service's", async () => {
    const environment = { DATA_DIR: await dataDirectory() };
    const operator = operatorProcess(() => environment);
    const service = await startServiceProcess({ environment });
    try {
      await operator.json('accounts', 'set-tier', 'default', 'pro');
      const made = (await operator.json(
        ...['keys', 'create', '--name', 'first', '--role', 'admin'],
      )) as { key: string };
      const { headers } = await apiClient(service.url, made.key).call('listAgents');
      expect(headers.get('x-ratelimit-limit')).toBe('2000');
      expect(await postgresOn(environment.DATA_DIR)).toBeDefined();
      expect(await statusAt(`${service.url}/readyz`)).toBe(200);
    } finally {
      await service.end('SIGTERM');
    }
    expect(await postgresOn(environment.DATA_DIR)).toBeUndefined();
    expect(await operator.json('accounts', 'list')).toMatchObject([{ tier: 'pro' }]);
    expect(await postgresOn(environment.DATA_DIR)).toBeUndefined();
  }, 240_000);

  test.each([['agents list'], ['migrate'], ['backup -'], ['restore package.json'], ['restore -']])(
    'a mistyped DATA_DIR creates nothing: %s',
    async (command) => {
      const folder = await dataDirectory();
      const mistyped = path.join(folder, 'dta');
      // With an explicit key, so that a restore does not stop at the missing file.
      const SECRETS_KEY = randomBytes(32).toString('base64');
      const operator = operatorProcess(() => ({ DATA_DIR: mistyped, SECRETS_KEY }));
      const { code, stderr } = await operator.run(command.split(' '), '');
      expect(code).not.toBe(0);
      if (command !== 'restore package.json') {
        expect(stderr).toContain(`DATA_DIR is ${mistyped}, which cannot be used: there is no such`);
      }
      expect(await files(folder)).toEqual([]);
    },
    240_000,
  );

  test('a directory without a database stays without one', async () => {
    const DATA_DIR = await dataDirectory();
    const { code, stderr } = await operatorProcess(() => ({ DATA_DIR })).run(['agents', 'list']);
    expect(code).not.toBe(0);
    expect(stderr).toBe(
      `DATA_DIR is ${DATA_DIR}, and there is no database in it. Set DATA_DIR to the directory of the service, or start the service once (npm start), which creates its database.\n`,
    );
    expect(await files(DATA_DIR)).toEqual([]);
  }, 240_000);

  // Root can write anywhere, and only root can start a command as another user.
  (process.getuid?.() === 0 ? test : test.skip)(
    'a data directory of another user keeps its owner',
    async () => {
      const DATA_DIR = path.join(await dataDirectory(unprivilegedUser), 'data');
      await mkdir(path.join(DATA_DIR, 'postgres'), { recursive: true });
      await chmod(DATA_DIR, 0o700);
      for (const program of ['server/operator/main', 'server/main'] as const) {
        const args = program === 'server/main' ? [] : ['agents', 'list'];
        const environment = { DATA_DIR, PORT: '0' };
        const started = await startBuilt(program, args, { environment, user: unprivilegedUser });
        expect(await started.ended).toBe(1);
        expect(started.stderr()).toContain('Run this as the user that it belongs to (id 0)');
        expect(started.stderr()).not.toMatch(/install -d|chown/);
      }
    },
    240_000,
  );
});

/** `npm start` on a clean clone, as a user experiences it: the banner, a crash, a restart, a clean stop. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { run } from '../../scripts/lib/child.js';
import { serviceVersion } from '../../server/contract/project-files.js';
import { apiClient, statusAt } from '../helpers/service/api.js';
import { dataDirectory, postgresOn } from '../helpers/database/data-directory.js';
import { builtPrograms } from '../helpers/programs/built-project.js';
import {
  onTerminal,
  ready,
  type ServiceProcess,
  startBuilt,
  startProgram,
  startServiceProcess,
} from '../helpers/programs/process.js';

// PostgreSQL, tsx and the service itself share the machine with all other tests.
const timeoutMs = 120_000;

const isRoot = process.getuid?.() === 0;
const unprivilegedUser = { uid: 65_534, gid: 65_534 };

interface Banner {
  api: string;
  docs: string;
  console: string;
  key: string;
  command: string;
}

function readBanner(text: string): Banner {
  const lineWith = (title: string) => new RegExp(`│ +${title} +(\\S+) +│`).exec(text)?.[1] ?? '';
  return {
    api: lineWith('API'),
    docs: lineWith('Docs'),
    console: lineWith('Console'),
    key: lineWith('Key'),
    command: /^curl [\s\S]*?(?=\n\n)/m.exec(text)?.[0] ?? '',
  };
}

describe.each([
  { as: 'the user that runs the tests, from the sources', isBuilt: false },
  isRoot
    ? { as: 'an ordinary user, from the build', isBuilt: true, user: unprivilegedUser }
    : { as: 'the user that runs the tests, from the build', isBuilt: true },
])('as $as', ({ isBuilt, user }) => {
  let dataDir: string;
  let service: ServiceProcess;
  let box: Banner;
  const options = () => ({
    environment: { DATA_DIR: dataDir, PORT: '0', ...onTerminal },
    ...(user && { user }),
  });
  const start = () =>
    isBuilt ? startServiceProcess(options()) : ready(startProgram('server/main.ts', [], options()));

  beforeAll(async () => {
    dataDir = await dataDirectory(user);
    service = await start();
    box = readBanner(service.stdout());
  }, timeoutMs);

  afterAll(async () => {
    await service.end('SIGTERM');
  }, timeoutMs);

  test('the first start prints all addresses and a key', () => {
    expect(box).toEqual({
      api: `${service.url}/v1`,
      docs: `${service.url}/docs`,
      console: `${service.url}/console`,
      key: expect.stringMatching(/^ahs_[0-9A-Za-z]{46}$/),
      command: expect.stringContaining(box.key),
    });
  });

  test('the printed command works when pasted', async () => {
    const { code, stdout } = await run('sh', ['-c', box.command]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      success: true,
      data: { response: expect.stringContaining('Hello') },
    });
    expect(await statusAt(box.docs)).toBe(200);
    expect(await statusAt(box.console)).toBe(200);
  });

  test('the key has every permission, and the account the largest tier', async () => {
    const api = apiClient(service.url, box.key);
    const { data } = await api.expect('listApiKeys', 200);
    expect(data.map(({ permissions }) => [...permissions].sort())).toEqual([
      ['delete', 'manage', 'read', 'write'],
    ]);
    const { headers } = await api.call('listAgents');
    expect(headers.get('x-ratelimit-limit')).toBe('20000');
  });

  // The remaining tests start more processes, and are the same from the sources.
  if (isBuilt) {
    test(
      'a second service on the same directory says which process uses it',
      async () => {
        const second = await startBuilt('server/main', [], options());
        expect(await second.ended).toBe(1);
        expect(second.stderr()).toContain('Another service is running on');
        expect(second.stderr()).toContain('DATA_DIR');
        await apiClient(service.url, box.key).expect('listAgents', 200);
      },
      timeoutMs,
    );

    test(
      'after kill -9 all data is there, and the key is not shown again',
      async () => {
        const api = apiClient(service.url, box.key);
        const body = { name: 'made before the crash', permissions: ['read'] };
        const { data: made } = await api.expect('createApiKey', 201, { body });
        await service.end('SIGKILL');

        service = await start();
        const program = path.join(await builtPrograms(), 'server/operator/main.js');
        expect(service.stdout()).toBe(
          `Agent Hosting Service ${serviceVersion} is ready.\n` +
            `  API      ${service.url}/v1\n  Docs     ${service.url}/docs\n  Console  ${service.url}/console\n` +
            `To replace a lost API key, run: node ${program} keys create --name 'Another key' --role admin\n`,
        );
        const again = apiClient(service.url, box.key);
        const { data } = await again.expect('listApiKeys', 200);
        expect(data.map(({ id }) => id)).toContain(made.id);
        await apiClient(service.url, made.key).expect('getAgent', 200, {
          path: { agent_id: 'echo' },
        });
      },
      timeoutMs,
    );
  }

  test(
    'a clean stop stops PostgreSQL as well',
    async () => {
      expect(await postgresOn(dataDir)).toBeDefined();
      expect(await service.end('SIGTERM')).toBe(0);
      expect(await postgresOn(dataDir)).toBeUndefined();
      expect(service.stderr()).toBe('');
    },
    timeoutMs,
  );
});

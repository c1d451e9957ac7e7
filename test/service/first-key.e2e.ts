/** The first API key is shown until it was seen, whatever happens between creating and showing it. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { serviceVersion } from '../../server/contract/project-files.js';
import { apiClient } from '../helpers/service/api.js';
import { dataDirectory } from '../helpers/database/data-directory.js';
import { useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { startUntilKeyIsShown } from './first-key.js';
import { startBuilt, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';

const made = useDatabase({ perTest: true });
let dataDir: string;
beforeEach(async () => {
  dataDir = await dataDirectory();
});

const environment = () => ({ ...environmentFor({ databaseUrl: made.url }), DATA_DIR: dataDir });
const start = () => startServiceProcess({ environment: environment() });
const keyFile = () => path.join(dataDir, 'first.key');

test('without a terminal every line is JSON, and the key is in a file that only its owner can read', async () => {
  await writeFile(keyFile(), 'of an installation before this one');
  await chmod(keyFile(), 0o644);
  const service = await start();
  const key = await service.firstKey();
  expect(key).toMatch(/^ahs_\w{46}$/);
  expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['first.key']);
  const lines = service.stdout().trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      level: 'info',
      version: serviceVersion,
      url: service.url,
      docs: `${service.url}/docs`,
      console: `${service.url}/console`,
      msg: `Agent Hosting Service ${serviceVersion} is ready at ${service.url}`,
    }),
    expect.objectContaining({ first_key_file: keyFile(), msg: expect.stringContaining('Store') }),
  ]);
  await apiClient(service.url, key).expect('listAgents', 200);
  expect(await service.end('SIGTERM')).toBe(0);
  expect(`${service.stdout()}${service.stderr()}`).not.toContain(key);
});

test('a data directory that other users can read causes a warning', async () => {
  await chmod(dataDir, 0o755);
  const service = await startServiceProcess({ environment: { DATA_DIR: dataDir } });
  const [warning] = service.stdout().split('\n');
  expect(JSON.parse(warning ?? '')).toMatchObject({
    level: 'warn',
    msg: expect.stringContaining(`${dataDir} has mode 0755`),
  });
  await service.end('SIGTERM');
}, 120_000);

test('the next start shows it if the port was in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const failed = await startBuilt('server/main', [], {
    environment: { ...environment(), PORT: String(port), HOST: '127.0.0.1' },
  });
  expect(await failed.ended).toBe(1);
  expect(await readdir(dataDir)).toEqual([]);
  other.close();

  const service = await start();
  await apiClient(service.url, await service.firstKey()).expect('listAgents', 200);
  await service.end('SIGTERM');
  expect(await startUntilKeyIsShown(environment())).toMatch(
    /lost API key, run: node \S+operator\/main\.js keys create --name /,
  );
});

test('the next start shows it if its file could not be written', async () => {
  await writeFile(path.join(dataDir, 'file'), '');
  const unwritable = path.join(dataDir, 'file/below');
  const service = await startServiceProcess({
    environment: { ...environment(), DATA_DIR: unwritable },
  });
  await service.printed(/first key could not be written \((?:EEXIST|ENOTDIR).*Set DATA_DIR/);
  await service.end('SIGTERM');
  const next = await start();
  await apiClient(next.url, await next.firstKey()).expect('listAgents', 200);
  await next.end('SIGTERM');
});

test('a database failure at that moment does not stop the service, which records it later', async () => {
  const fullDisk = { code: '53100', on: 'DELETE' } as const;
  const service = await whileFailing(made.database, 'settings', fullDisk, async () => {
    const started = await start();
    await apiClient(started.url, await started.firstKey()).expect('listAgents', 200);
    return started;
  });
  await eventually(async () => {
    expect(await made.database.prisma.setting.count({ where: { key: 'unshown_key' } })).toBe(0);
  });
  expect(await service.end('SIGTERM')).toBe(0);
});

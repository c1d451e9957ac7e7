/** The key of a new installation is shown until it was seen, whatever happens between creating and showing it. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { apiClient } from '../helpers/api.js';
import { useDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/failing-table.js';
import { startBuilt, startServiceProcess } from '../helpers/process.js';
import { besides } from '../helpers/service.js';

const made = useDatabase({ perTest: true });

const start = () => startServiceProcess({ environment: besides({ databaseUrl: made.url }) });

const keyIn = (text: string) => / Key +(ahs_\w+)/.exec(text)?.[1];

test('it is shown by the next start if the port was in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const failed = await startBuilt('server/main', [], {
    environment: { ...besides({ databaseUrl: made.url }), PORT: String(port), HOST: '127.0.0.1' },
  });
  expect(await failed.ended).toBe(1);
  expect(keyIn(failed.stdout())).toBeUndefined();
  other.close();

  const service = await start();
  await apiClient(service.url, keyIn(service.stdout())).expect('listAgents', 200);
  await service.end('SIGTERM');
  const again = await start();
  expect(keyIn(again.stdout())).toBeUndefined();
  await again.end('SIGTERM');
});

test('a database that fails at that moment does not end the service, which records it later', async () => {
  const fullDisk = { code: '53100', on: 'DELETE' } as const;
  const service = await whileFailing(made.database, 'settings', fullDisk, async () => {
    const started = await start();
    await apiClient(started.url, keyIn(started.stdout())).expect('listAgents', 200);
    return started;
  });
  await eventually(async () => {
    expect(await made.database.prisma.setting.count({ where: { key: 'unshown_key' } })).toBe(0);
  });
  expect(await service.end('SIGTERM')).toBe(0);
});

/** The programs on a PostgreSQL that accepts only encrypted connections, with the URL in a file. */
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { startBuilt, startServiceProcess } from '../helpers/programs/process.js';
import { testSecretsKey } from '../helpers/service/service.js';
import { startTlsCluster } from '../helpers/servers/tls-cluster.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const cluster = useFixture(startTlsCluster, (started) => started.stop());

test('service, worker and backup connect with a private authority', async () => {
  const folder = await temporaryFolder();
  const file = path.join(folder, 'url');
  const parameters = { sslmode: 'verify-full', sslrootcert: cluster.files.authority };
  await writeFile(file, `${cluster.url(parameters)}\n`);
  const environment = {
    DATABASE_URL_FILE: file,
    SECRETS_KEY: testSecretsKey.toString('base64'),
    DATA_DIR: folder,
  };
  const service = await startServiceProcess({ environment });
  try {
    await apiClient(service.url, await service.firstKey()).expect('listAgents', 200);
    const worker = await startBuilt('server/worker', [], { environment });
    try {
      await worker.printed(/Delivering events/);
      const sessions = await cluster.administer(
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
          WHERE application_name LIKE 'agent-hosting-service%' AND usename <> 'postgres'`,
      );
      expect(sessions).toEqual([{ ssl: true }]);
    } finally {
      expect(await worker.end('SIGTERM')).toBe(0);
    }
    const backup = path.join(folder, 'agents.backup');
    const operated = await operatorProcess(() => environment).run(['backup', backup]);
    expect(operated).toMatchObject({ code: 0 });
    expect((await stat(backup)).size).toBeGreaterThan(0);
  } finally {
    expect(await service.end('SIGTERM')).toBe(0);
  }
}, 120_000);

test('a wrong authority fails the start with instructions', async () => {
  const parameters = { sslmode: 'verify-full', sslrootcert: cluster.files.otherAuthority };
  const url = cluster.url(parameters);
  const service = await startBuilt('server/main', [], {
    environment: {
      DATABASE_URL: url,
      SECRETS_KEY: testSecretsKey.toString('base64'),
      DATA_DIR: await temporaryFolder(),
      PORT: '0',
    },
  });
  expect(await service.ended).toBe(1);
  expect(service.stderr()).toContain(
    'Set sslrootcert in DATABASE_URL to the file of the authority',
  );
  expect(service.stderr()).not.toContain(new URL(url).password);
}, 120_000);

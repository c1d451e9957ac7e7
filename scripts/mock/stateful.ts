/** `npm run mock -- --stateful`: the service itself, on an embedded database that is deleted at the end. */

import { randomBytes } from 'node:crypto';
import { openInfrastructure } from '../../server/process/infrastructure.js';
import { createTeardown } from '../../server/lib/async/teardown.js';
import { loadConfig } from '../../server/config/config.js';
import { createLog } from '../../server/config/log.js';
import { previewApiKey } from '../../server/keys/api-key.js';
import { everyPermission } from '../../server/contract/permissions.js';
import { newId } from '../../server/lib/data/typeid.js';
import { startService } from '../../server/service.js';
import { listAccounts } from '../../server/accounts/accounts.js';
import type { Database } from '../../server/postgres/database.js';
import { startScratchCluster } from '../db/scratch.js';
import type { Contract } from '../lib/contract.js';
import { followObject } from '../lib/json.js';
import type { RunningMock } from './app.js';

/** Adds data to that of the first start. */
export type AddData = (database: Database, accountId: string) => Promise<void>;

/** The key is the one in the contract's examples: the same in every run, and not secret. */
export async function startStatefulMock(
  contract: Contract,
  { host, port, addData }: { host: string; port: number; addData?: AddData },
): Promise<RunningMock & { key: string }> {
  const teardown = createTeardown();
  try {
    const cluster = await startScratchCluster();
    teardown.add(() => cluster.stop());
    // The environment of this process is not used, so that the mock calls no paid provider.
    const config = loadConfig({
      HOST: host,
      PORT: String(port),
      DATABASE_URL: cluster.url,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      CORS_ORIGINS: '*',
      ALLOW_PRIVATE_TARGETS: 'true',
      LAME_DUCK_MS: '0',
      LOG_LEVEL: 'warn',
    });
    const service = await startService(config, createLog(config.logLevel));
    teardown.add(service.stop);
    const { database, secrets, close } = await openInfrastructure(config, { embedded: 'join' });
    teardown.add(close);
    const [account] = await listAccounts(database, 1);
    if (!account) throw new Error('The service has not created an account.');
    const example = followObject(contract, {
      $ref: '#/components/examples/CreatedApiKey/value/data',
    });
    const key = String(example['key']);
    await database.prisma.apiKey.create({
      data: {
        id: newId('key'),
        accountId: account.id,
        agentId: null,
        name: 'Mock key',
        permissions: [...everyPermission],
        createdBy: null,
        expiresAt: null,
        keyHash: secrets.hashApiKey(key),
        preview: previewApiKey(key),
      },
    });
    await addData?.(database, account.id);
    return { url: service.url, key, stop: teardown.run };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

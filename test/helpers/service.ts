/** Runs the whole service for a test: real HTTP, a PostgreSQL database of its own, its log kept for inspection. */
import { Writable } from 'node:stream';
import { loadConfig } from '../../server/config/config.js';
import { createAccount } from '../../server/domain/accounts.js';
import { issueKey, type KeyInput } from '../../server/domain/keys/keys.js';
import { createSecrets } from '../../server/lib/crypto.js';
import { everyPermission } from '../../server/lib/permissions.js';
import type { Tier } from '../../server/lib/tiers.js';
import { newId } from '../../server/lib/typeid.js';
import { createLog } from '../../server/config/log.js';
import { startService } from '../../server/service.js';
import { insertAgent, type NewAgent } from '../../server/store/agent-drafts.js';
import type { Database } from '../../server/store/database.js';
import { type Api, apiClient } from './api.js';
import { createTestDatabase } from './database.js';

export interface TestService {
  url: string;
  databaseUrl: string;
  database: Database;
  /** Everything that was logged, as it was written. */
  log: string[];
  api: (key?: string) => Api;
  /** Another instance of the service on the same database. */
  another: (environment?: Record<string, string>) => Promise<TestInstance>;
  tenant: (options?: { tier?: Tier }) => Promise<Tenant>;
  stop: () => Promise<void>;
}

export interface TestInstance {
  url: string;
  log: string[];
  api: (key?: string) => Api;
  stop: () => Promise<void>;
}

/** An account of its own, with a key that may do everything. */
export interface Tenant {
  accountId: string;
  key: string;
  api: Api;
  newKey: (wish?: Partial<KeyInput>) => Promise<{ id: string; key: string }>;
  newAgent: (agent?: Partial<NewAgent>) => Promise<{ id: string; name: string }>;
}

/** Not random, so that a test can open what the service sealed. */
export const testSecretsKey = Buffer.alloc(32, 7);
export const testSecrets = createSecrets(testSecretsKey);

export async function startTestService(
  environment: Record<string, string> = {},
): Promise<TestService> {
  const testDatabase = await createTestDatabase();
  const { url: databaseUrl, database } = testDatabase;
  const instances: TestInstance[] = [];
  const another = async (overrides: Record<string, string> = {}) => {
    const instance = await startInstance(databaseUrl, { ...environment, ...overrides });
    instances.push(instance);
    return instance;
  };
  const { url, log, api } = await another();
  let accounts = 0;

  return {
    url,
    databaseUrl,
    database,
    log,
    api,
    another,
    tenant: async ({ tier = 'enterprise' } = {}) => {
      accounts += 1;
      const { id } = await createAccount(database, { name: `tenant-${accounts}`, tier });
      return tenantOf(database, id, api);
    },
    stop: async () => {
      await Promise.all(instances.map((instance) => instance.stop()));
      await testDatabase.close();
    },
  };
}

async function startInstance(
  databaseUrl: string,
  environment: Record<string, string>,
): Promise<TestInstance> {
  const log: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log.push(chunk.toString());
      done();
    },
  });
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '5',
    SECRETS_KEY: testSecretsKey.toString('base64'),
    RATE_LIMIT_STORE: 'memory',
    PORT: '0',
    LOG_LEVEL: 'debug',
    ...environment,
  });
  const service = await startService(config, createLog(config.logLevel, sink));
  let stopped: Promise<void> | undefined;
  return {
    url: service.url,
    log,
    api: (key) => apiClient(service.url, key),
    stop: () => (stopped ??= service.stop()),
  };
}

async function tenantOf(
  database: Database,
  accountId: string,
  api: TestService['api'],
): Promise<Tenant> {
  let made = 0;
  const newKey: Tenant['newKey'] = async (wish = {}) => {
    const { record, key } = await issueKey(database, testSecrets, {
      accountId,
      agentId: null,
      name: 'test key',
      permissions: [...everyPermission],
      expiresAt: null,
      ...wish,
    });
    return { id: record.id, key };
  };
  const { key } = await newKey();
  return {
    accountId,
    key,
    api: api(key),
    newKey,
    newAgent: async (agent = {}) => {
      made += 1;
      const whole = {
        id: newId('agent'),
        accountId,
        name: `agent-${made}`,
        model: 'builtin/echo',
        ...agent,
      };
      await insertAgent(database, whole);
      return { id: whole.id, name: whole.name };
    },
  };
}

/** Runs the whole service for a test: real HTTP, a separate PostgreSQL database, and its log in memory. */
import { type Config, loadConfig } from '../../../server/config/config.js';
import { createLog } from '../../../server/config/log.js';
import { createAccount } from '../../../server/accounts/accounts.js';
import { issueKey, type KeyInput } from '../../../server/keys/keys.js';
import { createSecrets } from '../../../server/installation/key-ring.js';
import { everyPermission } from '../../../server/contract/permissions.js';
import type { Tier } from '../../../server/accounts/tiers.js';
import { newId } from '../../../server/lib/data/typeid.js';
import { startService } from '../../../server/service.js';
import { insertAgent, type NewAgent } from '../../../server/agents/drafts.js';
import type { Database } from '../../../server/postgres/database.js';
import { type Api, apiClient } from './api.js';
import { createTestDatabase, type OpenDatabase } from '../database/database.js';
import { useFixture } from './fixture.js';

export interface TestService {
  url: string;
  databaseUrl: string;
  database: OpenDatabase;
  /** The log lines as written. */
  log: string[];
  api: (key?: string) => Api;
  /** Starts another instance on the same database. */
  another: (environment?: Environment, settings?: DerivedSettings) => Promise<TestInstance>;
  tenant: (options?: { tier?: Tier }) => Promise<Tenant>;
  stop: () => Promise<void>;
}

export interface TestInstance {
  url: string;
  /** The URL of a separate metrics listener, if there is one. */
  metricsUrl: string | undefined;
  log: string[];
  api: (key?: string) => Api;
  stop: () => Promise<void>;
}

/** A separate account, with a key that has every permission. */
export interface Tenant {
  accountId: string;
  key: string;
  api: Api;
  newKey: (input?: Partial<KeyInput>) => Promise<{ id: string; key: string }>;
  newAgent: (agent?: Partial<NewAgent>) => Promise<{ id: string; name: string }>;
}

/** Variables in addition to those that every test service has. */
export type Environment = Record<string, string>;

/** Not random, so that a test can decrypt what the service encrypted. */
export const testSecretsKey = Buffer.alloc(32, 7);
export const testSecrets = createSecrets(testSecretsKey);

/** The environment of another process on the database of a service. */
export function environmentFor({ databaseUrl }: Pick<TestService, 'databaseUrl'>): Environment {
  return {
    DATABASE_URL: databaseUrl,
    SECRETS_KEY: testSecretsKey.toString('base64'),
    LAME_DUCK_MS: '0',
  };
}

/** A service for the tests of the file. A function returns the environment when the service starts. */
export function useService(
  environment: Environment | (() => Environment) = {},
  settings?: DerivedSettings,
): TestService {
  return useFixture(
    () =>
      startTestService(typeof environment === 'function' ? environment() : environment, settings),
    (service) => service.stop(),
  );
}

/** What the service derives from its environment, and most tests need otherwise. */
type DerivedSettings = Partial<Pick<Config, 'sharesRateLimits'>>;

export interface TenantOptions {
  /** Deletes the account that the first start created, so that this one is the operator's default. */
  isOnlyAccount?: boolean;
}

/** A tenant for the tests of the file. */
export function useTenant(
  service: TestService,
  { isOnlyAccount = false }: TenantOptions = {},
): Tenant {
  return useFixture(async () => {
    if (isOnlyAccount) await service.database.prisma.account.deleteMany();
    return service.tenant();
  });
}

/** Another instance for the tests of the file. It stops with the service. */
export function useInstance(
  service: TestService,
  environment?: () => Environment | Promise<Environment>,
  settings?: DerivedSettings,
): TestInstance {
  return useFixture(async () => service.another(await environment?.(), settings));
}

/** An agent of the tenant's for the tests of the file. */
export function useAgent(tenant: Tenant, agent?: Partial<NewAgent>): { id: string; name: string } {
  return useFixture(() => tenant.newAgent(agent));
}

export async function startTestService(
  environment: Environment = {},
  settings?: DerivedSettings,
): Promise<TestService> {
  const testDatabase = await createTestDatabase();
  const { url: databaseUrl, database } = testDatabase;
  const instances: TestInstance[] = [];
  const another: TestService['another'] = async (overrides = {}, own = settings) => {
    const instance = await startInstance(
      { ...environmentFor({ databaseUrl }), ...environment, ...overrides },
      own,
    );
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

export async function startInstance(
  environment: Environment,
  settings?: DerivedSettings,
): Promise<TestInstance> {
  const log: string[] = [];
  const config = loadConfig({
    DATABASE_POOL_SIZE: '5',
    // On a busy machine a slow statement is not an error.
    DATABASE_STATEMENT_TIMEOUT_MS: '30000',
    PORT: '0',
    LOG_LEVEL: 'debug',
    ...environment,
  });
  const write = (line: string) => void log.push(line);
  const service = await startService(
    // Counting in memory is faster, and tests of one instance need no more.
    { ...config, sharesRateLimits: false, ...settings },
    createLog(config.logLevel, { write }),
  );
  let stopped: Promise<void> | undefined;
  return {
    url: service.url,
    metricsUrl: service.metricsUrl,
    log,
    api: (key) => apiClient(service.url, key),
    stop: () => (stopped ??= service.stop()),
  };
}

export async function tenantOf(
  database: Database,
  accountId: string,
  api: TestService['api'],
): Promise<Tenant> {
  let made = 0;
  const newKey: Tenant['newKey'] = async (input = {}) => {
    const { record, key } = await issueKey(database, testSecrets, {
      accountId,
      agentId: null,
      name: 'test key',
      permissions: [...everyPermission],
      createdBy: null,
      expiresAt: null,
      ...input,
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
      const draft = {
        id: newId('agent'),
        accountId,
        name: `agent-${made}`,
        model: 'builtin/echo',
        ...agent,
      };
      await insertAgent(database, draft);
      return { id: draft.id, name: draft.name };
    },
  };
}

/** Whether reading stays as quick as it was when a history grows a hundredfold, through the service over HTTP. */
import pg from 'pg';
import { createAccount } from '../../server/domain/accounts.js';
import { issueKey } from '../../server/domain/keys/keys.js';
import { createSecrets } from '../../server/lib/crypto.js';
import { everyPermission } from '../../server/lib/permissions.js';
import { newId } from '../../server/lib/typeid.js';
import { insertAgent } from '../../server/store/agent-drafts.js';
import { openDatabase } from '../../server/store/database.js';
import { migrate } from '../../server/store/migrations/migrate.js';
import { startScratchCluster } from '../db/scratch.js';
import { generatePast, prepareTexts } from './history/generate.js';
import { compareReads, type Target } from './history/measure.js';

const sizes = { small: 10_000, large: 1_000_000 };
const days = 60;

const masterKey = Buffer.alloc(32, 1);

/** Prints the figures. Takes a few minutes, most of them for making the history; everything is gone afterwards. */
export async function benchHistory(): Promise<void> {
  const cluster = await startScratchCluster({ durable: true });
  try {
    await migrate({ url: cluster.url });
    const small = await newAgent(cluster.url);
    const large = await newAgent(cluster.url);
    const admins: [pg.Client, pg.Client] = [adminOf(cluster), adminOf(cluster)];
    await Promise.all(admins.map((admin) => admin.connect()));
    try {
      const generate = (what: string, agentId: string, entries: number, firstId: number) =>
        timed(what, () => generatePast(admins, { agentId, entries, firstId, days }));
      await timed('texts', () => prepareTexts(admins[0]));
      await generate('small history', small.id, sizes.small, 0);
      await generate('large history', large.id, sizes.large, sizes.small);
      await compareReads(cluster.url, masterKey, small, large);
    } finally {
      await Promise.all(admins.map((admin) => admin.end()));
    }
  } finally {
    await cluster.stop();
  }
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`made the ${what} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function adminOf({ url, adminUrl }: { url: string; adminUrl: string }): pg.Client {
  const address = new URL(adminUrl);
  address.pathname = new URL(url).pathname;
  return new pg.Client({ connectionString: address.href });
}

async function newAgent(url: string): Promise<Target> {
  const database = await openDatabase({
    url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
  });
  try {
    const id = newId('agent');
    const account = { name: id.slice(-20), tier: 'enterprise' as const };
    const { id: accountId } = await createAccount(database, account);
    await insertAgent(database, { id, accountId, name: 'bench', model: 'builtin/echo' });
    const { key } = await issueKey(database, createSecrets(masterKey), {
      accountId,
      agentId: null,
      name: 'bench',
      permissions: [...everyPermission],
      expiresAt: null,
    });
    return { id, key };
  } finally {
    await database.close();
  }
}

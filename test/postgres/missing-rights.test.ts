/** A database user that lacks permissions: the message contains the statements that an administrator must run. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { messageOf } from '../../server/lib/errors/error-code.js';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import { administer, createBareDatabase, query } from '../helpers/database/database.js';

const user = `user_${randomBytes(6).toString('hex')}`;
const password = 'hunter2';
const databases: { drop: () => Promise<void> }[] = [];

beforeAll(() => administer(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`));
afterAll(async () => {
  await Promise.all(databases.map((database) => database.drop()));
  await administer(`DROP ROLE ${user}`);
});

/** A database with another owner, and the URL of the user. */
async function foreignDatabase(): Promise<string> {
  const bare = await createBareDatabase();
  databases.push(bare);
  await administer(`ALTER DATABASE ${nameOf(bare.url)} OWNER TO postgres`);
  const url = new URL(bare.url);
  Object.assign(url, { username: user, password });
  return url.href;
}

const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function refusal(url: string): Promise<string> {
  return migrate({ url }).then(() => 'It was migrated.', messageOf);
}

const statementsIn = (message: string) => message.match(/^ {2}.*;$/gm) ?? [];

describe('the permissions of the user', () => {
  test('that are missing are granted by the statements of the message', async () => {
    const url = await foreignDatabase();
    const message = await refusal(url);
    expect(message).toContain(
      `The user ${user} lacks rights in the database ${nameOf(url)}. An administrator must run there:\n`,
    );
    expect(message).not.toContain(password);
    expect(statementsIn(message)).toEqual([
      '  CREATE EXTENSION btree_gin SCHEMA public;',
      '  CREATE EXTENSION pg_trgm SCHEMA public;',
      `  GRANT USAGE, CREATE ON SCHEMA public TO "${user}";`,
    ]);
    for (const statement of statementsIn(message)) await administer(statement, nameOf(url));
    expect((await migrate({ url })).length).toBeGreaterThan(0);
  });

  test('may exclude the schema itself', async () => {
    const url = await foreignDatabase();
    await administer('DROP SCHEMA public', nameOf(url));
    const statements = statementsIn(await refusal(url));
    expect(statements[0]).toBe(`  CREATE SCHEMA public AUTHORIZATION "${user}";`);
    for (const statement of statements) await administer(statement, nameOf(url));
    expect((await migrate({ url })).length).toBeGreaterThan(0);
  });

  test('may exclude the database', async () => {
    const url = await foreignDatabase();
    await administer(`REVOKE CONNECT ON DATABASE ${nameOf(url)} FROM PUBLIC`);
    expect(await refusal(url)).toContain(
      `An administrator must run: GRANT CONNECT ON DATABASE ${nameOf(url)} TO ${user};`,
    );
  });

  test('may exclude existing tables of another owner', async () => {
    const url = await foreignDatabase();
    await administer(
      'CREATE TABLE _prisma_migrations (migration_name text, checksum text, finished_at timestamp, rolled_back_at timestamp)',
      nameOf(url),
    );
    await administer(`GRANT CREATE ON SCHEMA public TO ${user}`, nameOf(url));
    await administer(`GRANT CREATE ON DATABASE ${nameOf(url)} TO ${user}`);
    expect(await refusal(url)).toMatch(
      /permission denied for table _prisma_migrations.*must own the database and its tables/,
    );
    expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
  });
});

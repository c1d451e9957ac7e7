/** Comparing embeddings with the real pgvector, in PGlite, gives the same results as plain SQL. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  rankByEmbedding,
  signatureOf,
  usePgvector,
} from '../../server/memory/rank-embeddings.sql.js';
import type { Queryable } from '../../server/postgres/connection.js';
import { root } from '../helpers/programs/workspace.js';

const model = 'local/small';
const accountId = 'acct_1';
const agentId = 'agent_1';
const directions = 40;

let server: PGlite;
let database: Queryable;

beforeAll(async () => {
  server = await PGlite.create({ extensions: { vector, pg_trgm, btree_gin } });
  database = {
    run: async <Row>({ text }: { text: string }, values: unknown[]) =>
      (await server.query<Row>(text, values)).rows,
  };
  await migrate();
  await server.query(`INSERT INTO accounts (id, name) VALUES ($1, 'acme')`, [accountId]);
  await server.query(
    `INSERT INTO agents (id, account_id, name, model) VALUES ($1, $2, 'support-bot', 'builtin/echo')`,
    [agentId, accountId],
  );
  for (let direction = 0; direction < directions; direction += 1) await remember(direction);
});

afterAll(() => server.close());

test('the extension is enabled if the server has it', async () => {
  expect(await usePgvector(database)).toBe(true);
});

test.each([undefined, 'even', 'odd'])(
  'with it the closest entries are the same as without, for user %s',
  async (userId) => {
    const scope = {
      accountId,
      memoryId: agentId,
      userId,
      sessionId: undefined,
      environment: undefined,
    };
    const lookup = { model, vector: pointing(7.4), newest: directions, alsoIds: [], limit: 5 };
    const [plain, extended] = await Promise.all(
      [false, true].map((hasPgvector) =>
        rankByEmbedding(database, scope, { ...lookup, hasPgvector }),
      ),
    );
    expect(extended?.map(({ id }) => id)).toEqual(plain?.map(({ id }) => id));
    extended?.forEach(({ score }, index) => {
      expect(score).toBeCloseTo(plain?.[index]?.score ?? NaN, 5);
    });
    expect(extended?.[0]?.id).toBe(entryAt(userId === 'even' ? 8 : 7));
  },
);

async function migrate(): Promise<void> {
  const folder = path.join(root, 'prisma/migrations');
  const names = (await readdir(folder)).filter((name) => /^\d/.test(name)).sort();
  for (const name of names) {
    await server.exec(await readFile(path.join(folder, name, 'migration.sql'), 'utf8'));
  }
}

async function remember(direction: number): Promise<void> {
  const id = entryAt(direction);
  const userId = direction % 2 === 0 ? 'even' : 'odd';
  await server.query(
    `INSERT INTO memory_entries (account_id, id, agent_id, request_id, role, user_id, content)
     VALUES ($4, $1, $2, 'req_1', 'user', $3, 'something')`,
    [id, agentId, userId, accountId],
  );
  const embedding = pointing(direction);
  await server.query(
    `INSERT INTO memory_embeddings (account_id, agent_id, entry_id, model, embedding, signature)
     VALUES ($6, $5, $1, $2, $3, $4::varbit)`,
    [id, model, embedding, signatureOf(embedding), agentId, accountId],
  );
}

function entryAt(direction: number): string {
  return `mem_${String(direction).padStart(26, '0')}`;
}

/** Unit vectors that rotate step by step, so that adjacent ones are the closest. */
function pointing(direction: number): number[] {
  const parts = Array.from({ length: 16 }, (_, n) =>
    Math.cos((direction / directions) * Math.PI * (n + 1)),
  );
  const length = Math.hypot(...parts);
  return parts.map((part) => part / length);
}

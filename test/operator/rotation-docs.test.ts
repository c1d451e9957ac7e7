/** Rotating the database password with the statements of docs/operations/secrets.md while the service runs. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { statusAt } from '../helpers/service/api.js';
import { administer, createBareDatabase, query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService } from '../helpers/service/service.js';
import { root } from '../helpers/programs/workspace.js';

const service = useService();

test('two roles alternate, and both have every permission', async () => {
  const text = await readFile(path.join(root, 'docs/operations/secrets.md'), 'utf8');
  const role = `agents_${randomBytes(6).toString('hex')}`;
  const statements = (/```sql\n([^]*?)```/.exec(text)?.[1] ?? '')
    .replaceAll(/\bagents(_owner|_b)?\b/g, (_, suffix = '') => `${role}${suffix}`)
    .replaceAll('…', 'second');
  const bare = await createBareDatabase();
  const urlOf = (user: string, password: string) => {
    const url = new URL(bare.url);
    Object.assign(url, { username: user, password, pathname: role });
    return url.href;
  };
  await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'first'`);
  await administer(`CREATE DATABASE ${role} OWNER ${role}`);
  const first = { DATABASE_URL: urlOf(role, 'first') };
  const second = { DATABASE_URL: urlOf(`${role}_b`, 'second') };
  const before = await service.another(first);
  try {
    // Sent as one transaction. The document says to repeat it after a deadlock with a background task.
    await eventually(() => administer(statements, role));
    const after = await service.another(second);
    for (const { url } of [before, after]) {
      await eventually(async () => {
        expect(await statusAt(`${url}/readyz`)).toBe(200);
      });
    }
    await administer(`ALTER ROLE ${role} NOLOGIN`);
    // New objects belong to the owner of all others.
    await query(second.DATABASE_URL, 'ALTER TABLE agents ADD COLUMN extra text');
    const { code } = await operatorInProcess(service, second).run(['migrate']);
    expect(code).toBe(0);
    await after.stop();
  } finally {
    await before.stop();
    await bare.drop();
    await administer(`DROP DATABASE ${role} WITH (FORCE)`);
    for (const suffix of ['', '_b', '_owner'])
      await administer(`DROP ROLE IF EXISTS ${role}${suffix}`);
  }
});

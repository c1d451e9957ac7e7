/** The health check of the image, against a service with and without TLS, and without a service. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { createBareDatabase } from '../helpers/database/database.js';
import { startBuilt, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor, type Environment, useService } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const shared = useService();

async function check(environment: Environment): Promise<{ code: number | string; said: string }> {
  const program = await startBuilt('server/healthcheck', [], { environment });
  const code = await program.ended;
  return { code, said: program.stderr() };
}

async function tlsFiles() {
  const folder = await temporaryFolder();
  const authority = createAuthority('Unknown authority');
  // For a name that loopback does not have.
  const { cert, key } = authority.issue({
    name: 'agents.example.com',
    hosts: ['agents.example.com'],
  });
  const entries = Object.entries({ TLS_CERT: cert, TLS_KEY: key }).map(async ([name, content]) => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return [name, file] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe('the health check', () => {
  test.each([
    ['without TLS', () => Promise.resolve({})],
    ['on all addresses', () => Promise.resolve({ HOST: '0.0.0.0' })],
    ['with TLS', tlsFiles],
  ])('succeeds for a service %s, and fails when it is gone', async (_, settings) => {
    const own: Environment = await settings();
    const service = await startServiceProcess({
      environment: { ...environmentFor(shared), ...own },
    });
    const environment = { ...own, PORT: new URL(service.url).port };
    try {
      expect(await check(environment)).toEqual({ code: 0, said: '' });
    } finally {
      await service.end('SIGTERM');
    }
    const { code, said } = await check(environment);
    expect(code).toBe(1);
    expect(said).toMatch(/^The service does not answer: .*ECONNREFUSED/);
  });

  test('fails for a service that has lost its database', async () => {
    const bare = await createBareDatabase();
    const service = await startServiceProcess({
      environment: { ...environmentFor({ databaseUrl: bare.url }) },
    });
    try {
      await bare.drop();
      const { code, said } = await check({ PORT: new URL(service.url).port });
      expect(code).toBe(1);
      expect(said).toMatch(/^\/readyz answered 503: .*The database does not answer/);
    } finally {
      await service.end('SIGTERM');
    }
  });
});

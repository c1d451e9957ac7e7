/** The operator's commands with the embedded database: alone, and beside a service that runs on it. */
import { describe, expect, test } from '@jest/globals';
import { apiClient, statusAt } from '../helpers/api.js';
import { dataDirectory, postgresOn } from '../helpers/data-directory.js';
import { operatorProcess } from '../helpers/operate.js';
import { startServiceProcess } from '../helpers/process.js';

describe('with the embedded database', () => {
  test('a command starts PostgreSQL for itself, and beside a service it uses that one', async () => {
    const environment = { DATA_DIR: await dataDirectory() };
    const operator = operatorProcess(() => environment);
    const early = await operator.run(['agents', 'list']);
    expect(early.code).toBe(1);
    expect(early.stderr).toBe('There is no account yet. Make one: operator accounts create NAME\n');
    await operator.json('accounts', 'create', 'acme', '--tier', 'pro');
    expect(await postgresOn(environment.DATA_DIR)).toBeUndefined();

    const service = await startServiceProcess({ environment });
    try {
      // The operator was first, so there is nothing to set up.
      await service.printed(/API key that was lost/);
      expect(service.stdout()).not.toContain('first_key_file');
      const made = (await operator.json('keys', 'create', '--name', 'first')) as { key: string };
      const { headers } = await apiClient(service.url, made.key).call('listAgents');
      expect(headers.get('x-ratelimit-limit')).toBe('2000');
      expect(await postgresOn(environment.DATA_DIR)).toBeDefined();
      expect(await statusAt(`${service.url}/readyz`)).toBe(200);
    } finally {
      await service.end('SIGTERM');
    }
  }, 240_000);
});

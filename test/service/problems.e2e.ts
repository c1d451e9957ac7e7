/** Problems that keep the service from starting, and their messages. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dataDirectory, postgresOn } from '../helpers/database/data-directory.js';
import { eventually } from '../helpers/eventually.js';
import { startBuilt } from '../helpers/programs/process.js';

const timeoutMs = 120_000;

describe('the service does not start', () => {
  let taken: Server;
  let port: string;

  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    port = String(typeof address === 'object' ? address?.port : '');
  });

  afterAll(() => {
    taken.close();
  });

  test(
    'on a port that is in use, and leaves no PostgreSQL behind',
    async () => {
      const dataDir = await dataDirectory();
      const service = await startBuilt('server/main', [], {
        environment: { DATA_DIR: dataDir, PORT: port },
      });
      expect(await service.ended).toBe(1);
      expect(service.stderr()).toBe(
        `Port ${port} is in use on 127.0.0.1. Set PORT to another one, or stop the process that listens there.\n`,
      );
      expect(await postgresOn(dataDir)).toBeUndefined();
    },
    timeoutMs,
  );

  test(
    'with a wrong configuration, and names every wrong variable at once',
    async () => {
      const service = await startBuilt('server/main', [], {
        environment: {
          PORT: 'eighty',
          DATABASE_URL: 'mysql://user:hunter2@localhost/agents',
          SECRETS_KEY: 'short',
          LOG_LEVEL: 'loud',
          TRUST_PROXY: '10.0.0.0/99',
          CORS_ORIGINS: 'app.example.com',
        },
      });
      expect(await service.ended).toBe(1);
      const problems = service.stderr().trim().split('\n').slice(1);
      const named = problems.map((line) => /^ +- ([A-Z_]+) /.exec(line)?.[1]).sort();
      expect(named).toEqual([
        'CORS_ORIGINS',
        'DATABASE_URL',
        'LOG_LEVEL',
        'PORT',
        'SECRETS_KEY',
        'TRUST_PROXY',
      ]);
      expect(service.stderr()).not.toContain('hunter2');
      expect(service.stderr()).not.toContain('    at ');
    },
    timeoutMs,
  );

  test(
    'without its database, and says which',
    async () => {
      const service = await startBuilt('server/main', [], {
        environment: {
          DATABASE_URL: `postgresql://user:hunter2@127.0.0.1:1/agents`,
          SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
          DATABASE_WAIT_MS: '1000',
        },
      });
      expect(await service.ended).toBe(1);
      expect(service.stderr()).toMatch(
        /Cannot open the database at 127\.0\.0\.1:1\/agents.*DATABASE_URL/,
      );
      expect(service.stderr()).not.toContain('hunter2');
    },
    timeoutMs,
  );

  test(
    'if it is told to stop, and leaves no PostgreSQL behind',
    async () => {
      const dataDir = await dataDirectory();
      const service = await startBuilt('server/main', [], {
        environment: { DATA_DIR: dataDir, PORT: '0' },
      });
      await eventually(async () => {
        expect(await postgresOn(dataDir)).toBeDefined();
      }, 60_000);
      expect(await service.end('SIGTERM')).toBe(0);
      expect(await postgresOn(dataDir)).toBeUndefined();
    },
    timeoutMs,
  );
});

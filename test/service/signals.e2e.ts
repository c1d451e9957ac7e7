/** How the service stops on one or several signals, together with its PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { dataDirectory, postgresOn } from '../helpers/database/data-directory.js';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/programs/process.js';

const timeoutMs = 120_000;

async function startEmbedded(environment: Record<string, string> = {}) {
  const dataDir = await dataDirectory();
  const service = await startServiceProcess({ environment: { DATA_DIR: dataDir, ...environment } });
  expect(await postgresOn(dataDir)).toBeDefined();
  return { dataDir, service };
}

describe('a signal', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s that is relayed within a moment counts as one request to stop',
    async (signal) => {
      const { dataDir, service } = await startEmbedded();
      const ended = service.end(signal);
      for (let relayed = 0; relayed < 3; relayed += 1) {
        await delay(20);
        void service.end(relayed % 2 === 0 ? 'SIGTERM' : 'SIGINT');
      }
      expect(await ended).toBe(0);
      expect(await postgresOn(dataDir)).toBeUndefined();
    },
    timeoutMs,
  );

  test(
    'that is repeated later stops the service at once, together with PostgreSQL',
    async () => {
      const { dataDir, service } = await startEmbedded({ LAME_DUCK_MS: '60000' });
      const ended = service.end('SIGTERM');
      await delay(1_200);
      void service.end('SIGTERM');
      expect(await ended).toBe(1);
      await eventually(async () => {
        expect(await postgresOn(dataDir)).toBeUndefined();
      });
    },
    timeoutMs,
  );
});

describe('before the port closes', () => {
  test(
    '/readyz reports the stop, and requests are served on connections that close',
    async () => {
      const { service } = await startEmbedded({ LAME_DUCK_MS: '3000' });
      const { status } = await fetch(`${service.url}/readyz`);
      expect(status).toBe(200);
      const ended = service.end('SIGTERM');
      const notReady = await eventually(async () => {
        const response = await fetch(`${service.url}/readyz`);
        expect(response.status).toBe(503);
        return response;
      }, 2_000);
      expect(await notReady.json()).toEqual({
        status: 'unavailable',
        problem: 'The service is stopping.',
      });
      const served = await fetch(`${service.url}/v1/agents`);
      expect(served.status).toBe(401);
      expect(served.headers.get('connection')).toBe('close');
      expect(await ended).toBe(0);
      await expect(fetch(`${service.url}/readyz`)).rejects.toThrow('fetch failed');
    },
    timeoutMs,
  );
});

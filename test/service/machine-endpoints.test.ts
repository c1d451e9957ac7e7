/** What machines and readers find beside the API. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contractJson, contractYaml } from '../../server/lib/project-files.js';
import { type Proxy, proxyTo } from '../helpers/proxy.js';
import { startTestService, type TestService } from '../helpers/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

const get = (path: string, init?: RequestInit) => fetch(new URL(path, service.url), init);

describe('beside the API', () => {
  test('/healthz says that the process is up, and /readyz that it can serve', async () => {
    expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' });
  });

  test.each([
    ['/openapi.json', 'application/json; charset=utf-8', contractJson],
    ['/openapi.yaml', 'application/yaml; charset=utf-8', contractYaml],
  ])('%s is the contract', async (path, type, file) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toBe(await readFile(file, 'utf8'));
  });

  test('/docs is a page that needs nothing else', async () => {
    const response = await get('/docs');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await response.text();
    expect(page).toContain('Agent Hosting Service');
    expect(page).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/);
  });

  test.each(['/healthz', '/readyz', '/docs', '/openapi.json', '/openapi.yaml'])(
    '%s has a request id, answers HEAD, and asks for no key',
    async (path) => {
      const response = await get(path, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(await response.text()).toBe('');
    },
  );

  test.each([
    ['a range past the end', { Range: 'bytes=99999999-' }],
    ['a condition that does not hold', { 'If-Match': '"nothing"' }],
    ['a time that does not hold', { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
  ])('%s is no fault of the service', async (_name, headers) => {
    for (const path of ['/docs', '/openapi.json']) {
      expect((await get(path, { headers })).status).toBeLessThan(500);
    }
    expect(service.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});

describe('when the database is gone', () => {
  let proxy: Proxy;

  beforeAll(async () => {
    proxy = await proxyTo(service.databaseUrl);
  });

  afterAll(() => proxy.close());

  test('/readyz is a 503 that says so, and /healthz stays as it is', async () => {
    const { url } = await service.another({
      DATABASE_URL: proxy.url,
      DATABASE_CONNECT_TIMEOUT_MS: '1000',
    });
    await proxy.cut();
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.headers.get('retry-after')).toBe('1');
    expect(await ready.json()).toEqual({
      status: 'unavailable',
      problem: 'The database does not answer.',
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    await proxy.restore();
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

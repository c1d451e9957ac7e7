/** Endpoints for machines and readers in addition to the API. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { withConnectTimeout } from '../helpers/database/database.js';
import request from 'supertest';
import { contractJson, contractYaml } from '../../server/contract/project-files.js';
import { eventually } from '../helpers/eventually.js';
import { useProxy } from '../helpers/servers/database-proxy.js';
import { exchange, parseAnswer, requestText } from '../helpers/servers/raw-http.js';
import { useService } from '../helpers/service/service.js';

const service = useService();

describe('outside the API', () => {
  test('/healthz reports that the process is up, and /readyz that it can serve', async () => {
    await request(service.url).get('/healthz').expect(200, { status: 'ok' });
    await request(service.url).get('/readyz').expect(200, { status: 'ready' });
  });

  test.each([
    ['/openapi.json', 'application/json; charset=utf-8', contractJson],
    ['/openapi.yaml', 'application/yaml; charset=utf-8', contractYaml],
    ['/docs/openapi.json', 'application/json; charset=utf-8', contractJson],
    ['/docs/openapi.yaml', 'application/yaml; charset=utf-8', contractYaml],
  ])('%s is the contract', async (path, type, file) => {
    const response = await request(service.url)
      .get(path)
      .buffer()
      .parse(wholeBody)
      .expect('content-type', type)
      .expect(200);
    expect(response.body).toBe(await readFile(file, 'utf8'));
  });

  test('/docs is a self-contained page', async () => {
    const { text } = await request(service.url)
      .get('/docs')
      .expect('content-type', 'text/html; charset=utf-8')
      .expect(200);
    expect(text).toContain('Agent Hosting Service');
    expect(text).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/);
  });

  test.each(['/', '/docs/', '/?from=a-bookmark'])('%s redirects to the docs', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await fetch(service.url + path, { method, redirect: 'manual' });
      expect(response.status).toBe(302);
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const location = response.headers.get('location') ?? '';
      expect(new URL(location, service.url + path).href).toBe(`${service.url}/docs`);
      // Behind a proxy that adds a prefix it keeps the prefix.
      const behind = new URL(location, `https://acme.example/agents${path}`).href;
      expect(behind).toBe('https://acme.example/agents/docs');
      expect(await response.text()).toBe('');
    }
  });

  test.each([
    ['GET', '//evil.example'],
    ['GET', '//evil.example/..'],
    ['GET', '/\\evil.example'],
    ['GET', '/docs//evil.example'],
    ['GET', '/docs/../package.json'],
    ['GET', '/docs/..%2f..%2fpackage.json'],
    ['GET', '/docs/%2e%2e/%2e%2e/package.json'],
    ['GET', '/docs/index.html'],
    ['POST', '/'],
    ['DELETE', '/docs/'],
  ])('%s %s is not found', async (method, target) => {
    const answer = parseAnswer(await exchange(service.url, requestText(method, target)));
    expect(answer.status).toBe(404);
    expect(answer.headers).not.toHaveProperty('location');
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'not_found' } });
  });

  test('/docs is sent once, compressed, and after that only if it has changed', async () => {
    const page = await request(service.url).get('/docs').set('Accept-Encoding', 'br').expect(200);
    expect(page.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=300',
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(Number(page.headers['content-length'])).toBeLessThan(800_000);
    const again = await request(service.url)
      .get('/docs')
      .set('If-None-Match', page.headers['etag'] ?? '')
      .expect(304);
    expect(again.text).toBe('');
  });

  test('/docs cannot be framed, and runs only its own script', async () => {
    const { headers } = await request(service.url).get('/docs').expect('x-frame-options', 'DENY');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/script-src ('sha256-[\w+/=]+' ?)+/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });

  test('the path of an unauthenticated request is truncated in the log', async () => {
    await request(service.url)
      .get(`/nothing/${'x'.repeat(12_000)}`)
      .expect(404);
    const [line = ''] = service.log.filter((entry) => entry.includes('/nothing/xxx'));
    expect(line.length).toBeGreaterThan(256);
    expect(line.length).toBeLessThan(700);
  });

  test('a flood of unauthenticated requests is partly logged, and the next line says how many are missing', async () => {
    const flood = await service.another();
    const ask = () => fetch(`${flood.url}/nothing`).then((answer) => answer.text());
    const lines = () => flood.log.filter((line) => line.includes('"msg":"request"'));
    const start = performance.now();
    let asked = 0;
    for (; asked === lines().length && asked < 20_000; asked += 100) {
      await Promise.all(Array.from({ length: 100 }, ask));
    }
    expect(asked).toBeGreaterThan(lines().length);
    const seconds = (performance.now() - start) / 1000;
    expect(lines().length).toBeLessThanOrEqual(1_001 + 20 * seconds);
    await eventually(async () => {
      await ask();
      expect(lines().at(-1)).toMatch(/"dropped_before":\d+/);
    });
  });

  test.each(['/healthz', '/readyz', '/docs', '/openapi.json', '/openapi.yaml'])(
    '%s has a request id, answers HEAD, and needs no key',
    async (path) => {
      const { text } = await request(service.url)
        .head(path)
        .expect('x-request-id', /^req_/)
        .expect(200);
      expect(text).toBeUndefined();
    },
  );

  test.each([
    ['a range past the end', { Range: 'bytes=99999999-' }],
    ['a failing precondition', { 'If-Match': '"nothing"' }],
    ['a failing time condition', { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
  ])('%s does not cause an internal error', async (_name, headers) => {
    for (const path of ['/docs', '/openapi.json']) {
      const { status } = await request(service.url).get(path).set(headers);
      expect(status).toBeLessThan(500);
    }
    expect(service.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});

describe('without the database', () => {
  const proxy = useProxy(service);

  test('/readyz is a 503 that says so, and /healthz is unaffected', async () => {
    const { url } = await service.another({
      DATABASE_URL: withConnectTimeout(proxy.url, 5),
    });
    await proxy.cut();
    await request(url)
      .get('/readyz')
      .expect('retry-after', '1')
      .expect(503, { status: 'unavailable', problem: 'The database does not answer.' });
    await request(url).get('/healthz').expect(200);
    await request(url).get('/docs').expect(200);
    await proxy.restore();
    await request(url).get('/readyz').expect(200);
  });
});

/** Raw, because supertest would parse JSON and drop unknown content. */
function wholeBody(
  response: request.Response,
  done: (error: Error | null, body: string) => void,
): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => (text += chunk));
  response.on('end', () => {
    done(null, text);
  });
}

/** How the console is served: one page for all its URLs, under any mount path, and immutable files. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { consoleFolder } from '../../server/contract/project-files.js';
import { exchange, parseAnswer, requestText } from '../helpers/servers/raw-http.js';
import { statusAt } from '../helpers/service/api.js';
import { useInstance, useService } from '../helpers/service/service.js';

const service = useService();

const assets = await readdir(path.join(consoleFolder, 'assets'));

describe('the console', () => {
  test('is served at /console/, with a redirect from /console, also behind a prefix', async () => {
    const response = await fetch(`${service.url}/console`, { redirect: 'manual' });
    expect(response.status).toBe(302);
    const location = response.headers.get('location') ?? '';
    expect(new URL(location, 'https://acme.example/agents/console').href).toBe(
      'https://acme.example/agents/console/',
    );
  });

  test.each([
    ['/console/', './'],
    ['/console/agents', './'],
    ['/console/agents/', '../'],
    ['/console/agents/support-bot', '../'],
    ['/console/agents/support-bot/logs', '../../'],
    ['/console/agents/a%2Fb/logs?level=error', '../../'],
  ])('%s finds its files under any mount path', async (address, base) => {
    const html = await (await fetch(service.url + address)).text();
    expect(html).toContain(`<base href="${base}" />`);
    const page = new URL(`https://acme.example/prefix${address}`);
    expect(new URL(base, page).href).toBe('https://acme.example/prefix/console/');
  });

  test('loads and runs only its own files, and cannot be framed', async () => {
    const { headers } = await fetch(`${service.url}/console/`);
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy.join()).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    // An outdated page would request files that no longer exist.
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  test('has no inline script or style', async () => {
    const html = await readFile(path.join(consoleFolder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|style=|<script(?![^>]+src=)|\son\w+=|https?:/);
  });

  test.each(['br', 'gzip'])('its files are sent with %s, and cached for ever', async (encoding) => {
    for (const name of assets) {
      const response = await fetch(`${service.url}/console/assets/${name}`, {
        headers: { 'accept-encoding': encoding },
      });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/svg)/);
      await response.arrayBuffer();
    }
  });

  test('is at most 130 kB, with everything that it may load', async () => {
    const files = ['index.html', ...assets.map((name) => `assets/${name}`)];
    const sizes = files.map(
      async (name) => gzipSync(await readFile(path.join(consoleFolder, name))).length,
    );
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThanOrEqual(130_000);
  });

  test.each([
    ['GET', '/console/../package.json'],
    ['GET', '/console/%2e%2e/package.json/../..'],
    ['GET', '/console/assets/..%2findex.html'],
    ['GET', '/console/assets/main.js'],
    ['GET', '/console/assets/main-AAAAAAAA.js'],
    ['GET', '/console/a/b/c/d/e'],
    ['POST', '/console/'],
    ['DELETE', '/console/agents/echo'],
  ])('%s %s is not found', async (method, target) => {
    const answer = parseAnswer(await exchange(service.url, requestText(method, target)));
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('with CONSOLE=off', () => {
  const instance = useInstance(service, () => ({ CONSOLE: 'off' }));

  test('it is not served', async () => {
    for (const address of ['/console', '/console/', `/console/assets/${assets[0]}`]) {
      expect(await statusAt(instance.url + address)).toBe(404);
    }
    expect(await statusAt(`${instance.url}/docs`)).toBe(200);
  });
});

/** Keys from the command line: created, listed, rotated without losing one, and revoked. */
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { agentHosting } from '../../client/src/index.js';
import { eventually } from '../helpers/eventually.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';
import type { Tenant } from '../helpers/service/service.js';
import { useService } from './set-up.js';
import { type CommandResult, type RunOptions, useShell } from './shell.js';

const service = useService();
const shell = useShell();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await service.tenant();
});

function withKey(key: string, url: string): RunOptions {
  return { env: { AGENT_HOSTING_API_KEY: key, AGENT_HOSTING_BASE_URL: url } };
}

/** With the tenant's key in the environment. */
function run(...args: string[]): Promise<CommandResult> {
  return shell.run(args, withKey(tenant.key, service.url));
}

async function works(apiKey: string): Promise<boolean> {
  const client = agentHosting({ apiKey, baseUrl: service.url, maxRetries: 0 });
  return client.agents
    .list()
    .page()
    .then(
      () => true,
      () => false,
    );
}

async function expectEnd(apiKey: string): Promise<void> {
  await eventually(async () => {
    expect(await works(apiKey)).toBe(false);
  });
}

describe('keys', () => {
  test('are created by role, listed and revoked; only the key goes to standard output', async () => {
    const agent = await tenant.newAgent();
    const created = await run(
      'keys',
      'create',
      '--name',
      'CI',
      '--role',
      'developer',
      '--agent',
      agent.name,
      '--expires',
      '30d',
    );
    expect(created.stdout).toMatch(/^ahs_\w{46}\n$/);
    const [, id = ''] = /Its id is (key_\w+)\./.exec(created.stderr) ?? [];
    const listed = await run('keys', 'list', '--agent', agent.name, '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { id, name: 'CI', agent_id: agent.id, expires_at: expect.any(String) },
    ]);
    expect((await run('keys', 'list')).stdout).toMatch(
      new RegExp(`^CI +read,write +${agent.name} .* ${id}$`, 'm'),
    );
    expect(await run('keys', 'revoke', id)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: This cannot be undone, and there is no terminal to ask for confirmation.\nPass --yes to skip the confirmation.\n',
    });
    expect(await works(created.stdout.trim())).toBe(true);
    expect(await run('keys', 'revoke', id, '--yes')).toEqual({
      code: 0,
      stdout: `${id} no longer works.\n`,
      stderr: '',
    });
    await expectEnd(created.stdout.trim());
    expect((await run('keys', 'revoke', id, '--yes')).code).toBe(4);
  });

  test('are listed with the ids of their agents if the key may not read agents', async () => {
    const agent = await tenant.newAgent();
    await tenant.newKey({ name: 'limited', agentId: agent.id });
    const manager = await tenant.newKey({ permissions: ['manage'] });
    const { code, stdout } = await shell.run(['keys', 'list'], withKey(manager.key, service.url));
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^limited .* ${agent.id} `, 'm'));
  });

  test('in use are revoked with a warning', async () => {
    const own = await tenant.newKey();
    const inUse = withKey(own.key, service.url);
    const revoked = await shell.run(['keys', 'revoke', own.id, '--yes'], inUse);
    expect(revoked).toEqual({
      code: 0,
      stdout: `${own.id} no longer works.\n`,
      stderr:
        'This is the key in use, in AGENT_HOSTING_API_KEY: without it, your next command needs another.\n',
    });
  });

  test('that are unknown cannot be rotated', async () => {
    const unknown = await run('keys', 'rotate', 'key_01m3v7xjz0etnv3twffmsrhx7s');
    expect(unknown.code).toBe(4);
    expect(unknown.stderr).toContain('agent-hosting keys list shows their ids.');
  });
});

describe('a rotation', () => {
  test('creates a key with the same settings, revokes the old one, and updates the profile', async () => {
    const old = await tenant.newKey({ name: 'mine' });
    await shell.login(service.url, old.key);
    const rotated = await shell.run(['keys', 'rotate', old.id, '--json', '--yes']);
    const created = JSON.parse(rotated.stdout) as { key: string };
    expect(created).toMatchObject({
      name: 'mine',
      permissions: expect.arrayContaining(['read', 'write', 'delete', 'manage']),
      replaces: { id: old.id, works_until: null },
    });
    expect(await works(created.key)).toBe(true);
    await expectEnd(old.key);
    expect((await shell.run(['agents', 'list'])).code).toBe(0);
  });

  test('without a grace period needs a confirmation', async () => {
    const old = await tenant.newKey();
    expect(await run('keys', 'rotate', old.id)).toMatchObject({ code: 2, stdout: '' });
    expect(await works(old.key)).toBe(true);
  });

  test('with a grace period lets the old key expire after it, at the latest when it would anyway', async () => {
    const old = await tenant.newKey();
    const rotated = await run('keys', 'rotate', old.id, '--grace', '24h');
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ahs_\w+\n$/) });
    const [, until = ''] = /works until (\S+)\.\n/.exec(rotated.stderr) ?? [];
    const listed = await tenant.api.expect('listApiKeys', 200, { query: { limit: 100 } });
    expect(listed.data.find(({ id }) => id === old.id)?.expires_at).toBe(until);
    expect(Math.round((Date.parse(until) - Date.now()) / 3_600_000)).toBe(24);
    expect(await works(old.key)).toBe(true);
    expect(await works(rotated.stdout.trim())).toBe(true);

    const expiresAt = new Date(Date.now() + 3_600_000);
    const ending = await tenant.newKey({ expiresAt });
    const earlier = await run('keys', 'rotate', ending.id, '--grace', '24h', '--json');
    expect(JSON.parse(earlier.stdout)).toMatchObject({
      expires_at: expiresAt.toISOString(),
      replaces: { id: ending.id, works_until: expiresAt.toISOString() },
    });

    const brief = await tenant.newKey();
    await run('keys', 'rotate', brief.id, '--grace', '1s');
    await expectEnd(brief.key);
  });

  test('that fails halfway has printed the new key, and the old one still works', async () => {
    const proxy = await startFaultyProxy(service.url);
    const old = await tenant.newKey();
    const rotated = await shell.run(
      ['keys', 'rotate', old.id, '--yes'],
      withKey(old.key, proxy.url),
    );
    await proxy.stop();
    expect(rotated.code).toBe(6);
    expect(rotated.stderr).toContain(
      `${old.id} was not revoked. Revoke it with: agent-hosting keys revoke ${old.id}`,
    );
    expect(await works(rotated.stdout.trim())).toBe(true);
    expect(await works(old.key)).toBe(true);
  });
});

/** Forwards requests to the service, but closes the connection of every DELETE. */
function startFaultyProxy(target: string): Promise<HttpServer> {
  return startHttpServer((request, response) => {
    const { method = 'GET', url = '', headers } = request;
    if (method === 'DELETE') {
      request.socket.destroy();
      return;
    }
    void buffer(request).then(async (body) => {
      const { authorization = '' } = headers;
      const upstream = await fetch(`${target}${url}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body.length > 0 && { body }),
      });
      response.writeHead(upstream.status, { 'content-type': 'application/json' });
      response.end(await upstream.text());
    });
  });
}

/** The published package: packed, installed into an empty project, compiled there, with the README examples run. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { parse } from 'yaml';
import { agentHosting } from '../../client/src/index.js';
import { freePort } from '../../server/lib/net/free-port.js';
import { browserTest } from '../helpers/programs/browser.js';
import { operations } from '../helpers/service/contract.js';
import type { HttpServer } from '../helpers/servers/http-server.js';
import { type MockServer, startMock } from '../helpers/servers/mock-server.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service/service.js';
import { root } from '../helpers/programs/workspace.js';
import { type Consumer, createConsumer } from './package/consumer.js';
import { type Example, examples, readme } from './package/examples.js';
import { startPageServer } from './package/page-server.js';
import { packClient, type Tarball } from './package/tarball.js';

let tarball: Tarball;
let consumer: Consumer;
let service: TestService;
let tenant: Tenant;
let mock: MockServer;
let pages: HttpServer;

beforeAll(async () => {
  const mocking = startMock();
  tarball = await packClient();
  consumer = await createConsumer(tarball);
  pages = await startPageServer(consumer.folder);
  service = await startTestService({
    ALLOW_PRIVATE_TARGETS: 'true',
    CORS_ORIGINS: `http://localhost:${pages.port}`,
  });
  mock = await mocking;
  tenant = await service.tenant();
  await tenant.newAgent({ name: 'echo' });
  for (const { name, code } of examples) await consumer.write(`${name}.ts`, code);
}, 240_000);

afterAll(async () => {
  await mock.stop();
  await pages.stop();
  await service.stop();
});

const programs = examples.map(({ name }) => `${name}.ts`);

describe('The package', () => {
  test('contains the built SDK, the command line, its README and its licence, and nothing else', () => {
    const paths = tarball.contents.map((file) => file.path);
    expect(paths).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/cli.mjs', 'dist/index.d.ts']),
    );
    const modules = /^(bin|dist)\/((generated\/)?[a-z-]+(\.d\.ts|\.js)|cli(\/[\w-]+)?\.mjs)$/;
    const others = paths.filter((file) => !modules.test(file)).sort();
    expect(others).toEqual(['LICENSE', 'README.md', 'package.json']);
    const command = tarball.contents.find((file) => file.path === 'bin/agent-hosting.js');
    expect(command?.mode).toBe(0o755);
  });

  test('is installed without a warning', () => {
    expect(consumer.installation).not.toMatch(/install-scripts|EBADENGINE|deprecated/);
  });

  test('depends on openapi-fetch only, and names its repository', async () => {
    const file = path.join(consumer.folder, 'node_modules/@agent-hosting/client/package.json');
    const text = await readFile(file, 'utf8');
    const manifest = JSON.parse(text) as Record<string, Record<string, string>>;
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual(['openapi-fetch']);
    expect(manifest).toMatchObject({
      homepage: expect.stringMatching(/^https:/),
      repository: { url: expect.stringMatching(/^git\+https:.*\.git$/), directory: 'client' },
      bugs: expect.stringMatching(/^https:/),
      publishConfig: { access: 'public', provenance: true },
    });
    const dev = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    // The version that the tests use.
    expect(manifest['dependencies']).toMatchObject({
      'openapi-fetch': dev.devDependencies['openapi-fetch'],
    });
  });

  test('has no any in its types', async () => {
    const declarations = tarball.contents.filter((file) => file.path.endsWith('.d.ts'));
    expect(declarations.length).toBeGreaterThan(10);
    for (const { path: name } of declarations) {
      const file = path.join(consumer.folder, 'node_modules/@agent-hosting/client', name);
      expect([name, anyIn(await readFile(file, 'utf8'))]).toEqual([name, []]);
    }
    expect(anyIn('export declare const a: (b: Map<string, any[]>) => void;')).toHaveLength(1);
  });

  test('documents every operation with the text of the contract', async () => {
    const file = 'node_modules/@agent-hosting/client/dist/generated/resources.d.ts';
    const declarations = await readFile(path.join(consumer.folder, file), 'utf8');
    const missing = operations.filter(({ summary }) => !declarations.includes(`* ${summary}\n`));
    expect(operations).not.toEqual([]);
    expect(missing).toEqual([]);
  });

  test('is published by a workflow that may attest it and stores no token', async () => {
    const workflow = await readFile(path.join(root, '.github/workflows/release.yml'), 'utf8');
    const { on, jobs } = parse(workflow) as {
      on: object;
      jobs: { client: { permissions: object; steps: { run?: string }[] } };
    };
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(jobs.client.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const publish = 'npm publish -w client --provenance --access public';
    expect(jobs.client.steps.at(-1)).toEqual({ run: publish });
    expect(workflow).not.toContain('secrets.');
  });

  test('contains the command line', async () => {
    const { code, stdout } = await consumer.run(['node_modules/.bin/agent-hosting', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('agent-hosting')]);
  });
});

describe('The README examples', () => {
  test('are all found', () => {
    expect(readme.match(/```ts/g)).toHaveLength(examples.length);
    expect(examples.length).toBeGreaterThan(9);
  });

  test('are accompanied by a list of every method', () => {
    for (const [group, methods] of Object.entries(agentHosting({ apiKey: 'key' }))) {
      if (group === 'withOptions') continue;
      const [row = ''] = new RegExp(`^\\| \`client\\.${group}\`.*$`, 'm').exec(readme) ?? [];
      const listed = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      expect([group, listed.sort()]).toEqual([group, Object.keys(methods as object).sort()]);
    }
  });

  test('compile under strict for a browser, as a bundler resolves the package', async () => {
    const forNode = ['webhook.ts'];
    const files = programs.filter((name) => !forNode.includes(name));
    const options = { module: 'esnext', moduleResolution: 'bundler', types: [], noEmit: true };
    expect(await consumer.compile(files, options)).toBe('');
  });

  test('compile as Node resolves the package, without DOM types, and mistakes are detected', async () => {
    const wrong = [
      `import { agentHosting, createClient } from '@agent-hosting/client';`,
      `const client = agentHosting();`,
      `await client.agents.invoke('echo', { mesage: 'Hello' });`,
      `const { responze } = await client.agents.invoke('echo', { message: 'Hello' });`,
      `await client.agents.list({ sort: 'nmae' }).page();`,
      `await createClient().GET('/v1/agent');`,
    ];
    await consumer.write('wrong.ts', wrong.join('\n'));
    const errors = await consumer.compile([...programs, 'wrong.ts'], {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      lib: ['ES2022'],
      types: ['node'],
      verbatimModuleSyntax: true,
    });
    const locations = errors.match(/^\S.*?\(\d+,/gm);
    expect(locations).toEqual(['wrong.ts(3,', 'wrong.ts(4,', 'wrong.ts(5,', 'wrong.ts(6,']);
  });
});

/** Each use of the type `any`, as `line: text`. The parser of the compiler ignores the word in comments. */
function anyIn(declarations: string): string[] {
  const file = ts.createSourceFile('index.d.ts', declarations, ts.ScriptTarget.Latest);
  const lines = declarations.split('\n');
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push(`${line + 1}: ${lines[line]?.trim()}`);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

async function runExample({ name }: Example, baseUrl: string, apiKey: string) {
  const { code, stdout, stderr } = await consumer.run([`${name}.js`], {
    AGENT_HOSTING_BASE_URL: baseUrl,
    AGENT_HOSTING_API_KEY: apiKey,
    WEBHOOK_URL: `http://127.0.0.1:${await freePort()}/hook`,
  });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const trimLines = (text: string) => text.replaceAll(/ +$/gm, '');

describe('The examples, run in that project,', () => {
  test.each(examples)('$name prints what it shows, against the live service', async (example) => {
    expect(trimLines(await runExample(example, service.url, tenant.key))).toBe(example.output);
  });

  test.each(examples.filter(({ isLiveOnly }) => !isLiveOnly))(
    '$name runs against the mock',
    async (example) => {
      await runExample(example, mock.url, 'any-key');
    },
  );
});

browserTest('Only a page of an allowed origin can call the service', async (context) => {
  const visit = async (origin: string): Promise<unknown> => {
    const page = await context.newPage();
    const options = new URLSearchParams({
      baseUrl: service.url,
      apiKey: tenant.key,
      maxRetries: '0',
    });
    await page.goto(`${origin}:${pages.port}/#${options.toString()}`);
    const shown = page.locator('output:not(:empty)');
    return JSON.parse(await shown.innerText());
  };
  expect(await visit('http://localhost')).toEqual({
    text: 'Hello from a page',
    result: 'Hello from a page',
    agents: ['echo'],
    isNotFound: true,
    isConnectionError: false,
    requestId: expect.stringMatching(/^req_/),
  });
  expect(await visit('http://127.0.0.1')).toEqual({
    text: '',
    agents: [],
    isNotFound: false,
    isConnectionError: true,
  });
});

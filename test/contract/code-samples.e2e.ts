/** Each code sample of the documentation runs against a real service; only names and ids are replaced. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { clientMethods } from '../../scripts/generate/client-model.js';
import { run } from '../../scripts/lib/child.js';
import { operationsOf, parseContract } from '../../scripts/lib/contract.js';
import { operations } from '../helpers/service/contract.js';
import { useFiles } from '../helpers/programs/files.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { createResources } from '../helpers/service/valid-call.js';
import { root } from '../helpers/programs/workspace.js';

const service = useService({
  ANTHROPIC_API_KEY: 'never used',
  ALLOW_PRIVATE_TARGETS: 'true',
  // Nothing is delivered to the example address.
  WORKER: 'off',
});
const tenant = useTenant(service);
const files = useFiles();

interface Sample {
  lang: string;
  source: string;
}

const contract = parseContract(await readFile(path.join(root, 'generated/openapi.json'), 'utf8'));
const samples = operationsOf(contract).map(({ operation }): [string, Sample[]] => {
  const found: unknown = operation['x-codeSamples'];
  return [operation.operationId ?? '', found as Sample[]];
});

/** How to run a sample in each language. */
const runners: Record<string, (file: string) => [string, string[]]> = {
  Shell: (file) => ['sh', [file]],
  JavaScript: (file) => [process.execPath, [file]],
  Python: (file) => ['python3', [file]],
};

const hasRequests = await run('python3', ['-c', 'import requests']).then(
  ({ code }) => code === 0,
  () => false,
);

/** Replaces the names in the examples with those of existing resources. */
async function withRealIds(operationId: string, source: string): Promise<string> {
  const things = await createResources(service, tenant);
  const { parameters = [] } = operations.find((one) => one.operationId === operationId) ?? {};
  const named = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (text, { name, value }) => text.replaceAll(String(value), things[name] ?? ''),
      source.replaceAll(/(?<=[/'"])echo(?=[/'"? ])/g, things['agent_id'] ?? ''),
    );
  return named
    .replaceAll('http://127.0.0.1:3000', service.url)
    .replaceAll(/^curl /gm, 'curl -sS --fail-with-body ')
    .replaceAll(/8e03978e-[\w-]+/g, crypto.randomUUID())
    .replaceAll('@agent-hosting/client', './client.mjs');
}

beforeAll(() =>
  build({
    entryPoints: [path.join(root, 'client/src/index.ts')],
    outfile: files.path('client.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  }),
);

test('every operation has a sample in each language', () => {
  expect(samples).toHaveLength(clientMethods(contract).length);
  for (const [operationId, found] of samples) {
    expect([operationId, found.map(({ lang }) => lang)]).toEqual([
      operationId,
      Object.keys(runners),
    ]);
  }
});

describe.each(samples)('%s', (operationId, found) => {
  for (const { lang, source } of found) {
    (lang === 'Python' && !hasRequests ? test.skip : test)(
      lang,
      async () => {
        const extension = { Shell: 'sh', JavaScript: 'mjs', Python: 'py' }[lang] ?? '';
        const file = await files.write(
          `${operationId}.${extension}`,
          await withRealIds(operationId, source),
        );
        const [program, args] = runners[lang]?.(file) ?? ['', []];
        const { code, stderr } = await run(program, args, {
          env: { AGENT_HOSTING_API_KEY: tenant.key, AGENT_HOSTING_BASE_URL: service.url },
        });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      },
      60_000,
    );
  }
});

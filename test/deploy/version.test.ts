/** A release has one version, that of package.json; everything published with it has the same one. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { clientVersion } from '../../client/src/generated/service.js';
import { root } from '../helpers/programs/workspace.js';
import { readYaml } from './tools.js';

const read = (file: string) => readFile(path.join(root, file), 'utf8');
const versionIn = async (file: string) =>
  (JSON.parse(await read(file)) as { version: string }).version;

const version = await versionIn('package.json');

test('the chart, the client and the lock file have the version of the service', async () => {
  expect(await readYaml('helm/agent-hosting/Chart.yaml')).toMatchObject({
    version,
    appVersion: version,
  });
  expect(await versionIn('client/package.json')).toBe(version);
  expect(clientVersion).toBe(version);
  expect(await versionIn('package-lock.json')).toBe(version);
});

test('documents reference files and images of this version', async () => {
  expect(await read('client/README.md')).toContain(`agent-hosting-client-${version}.tgz`);
  expect(await read('deploy/README.md')).toContain(`agent-hosting-service:${version}`);
});

test('the changelog has a dated section for this version and notes on the contract version', async () => {
  const [, newest] =
    /^## (\S.*)$/m.exec((await read('CHANGELOG.md')).replace('## Unreleased', '')) ?? [];
  expect(newest).toMatch(new RegExp(`^${version} \\(\\d{4}-\\d{2}-\\d{2}\\)$`));
  const { info } = parse(await read('spec/openapi.yaml')) as { info: { version: string } };
  expect(await read('spec/CHANGELOG.md')).toContain(`\n## ${info.version}\n`);
});

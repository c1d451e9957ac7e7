/** The release scripts, run on test repositories and charts. */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';
import { parseDocuments, run, testWith } from './tools.js';

/** A repository whose package builds itself on installation, like this one. */
async function smallProject(): Promise<(...args: string[]) => string> {
  const folder = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  const build = `mkdir -p dist/server && cp version.txt dist/server/main.js`;
  const name = { name: 'small', version: '1.0.0' };
  await mkdir(path.join(folder, '.ci'));
  await copyFile(
    path.join(root, '.ci/previous-release'),
    path.join(folder, '.ci/previous-release'),
  );
  await chmod(path.join(folder, '.ci/previous-release'), 0o755);
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ ...name, scripts: { prepare: build } }),
  );
  await writeFile(
    path.join(folder, 'package-lock.json'),
    JSON.stringify({ ...name, lockfileVersion: 3, packages: { '': name } }),
  );
  git('init', '--quiet');
  return (...args) => {
    if (args[0] !== 'commit') return git(...args);
    execFileSync('sh', ['-c', `echo ${args[1]} > version.txt`], { cwd: folder });
    git('add', '--all');
    return git('commit', '--quiet', '--message', args[1] ?? '');
  };
}

test('the previous release of a commit is built from the last tag before it', async () => {
  const git = await smallProject();
  git('commit', 'first');
  const folder = git('rev-parse', '--show-toplevel').trim();
  const previous = () =>
    execFileSync(path.join(folder, '.ci/previous-release'), {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  expect(previous()).toBe('');
  git('tag', 'v0.1.0');
  git('tag', 'client-v9.9.9');
  expect(previous()).toBe('');
  git('commit', 'second');
  const built = previous();
  try {
    expect(await readFile(path.join(built, 'server/main.js'), 'utf8')).toBe('first\n');
  } finally {
    await rm(path.dirname(built), { recursive: true });
  }
});

testWith(['helm', 'version'])('a released chart references the image of its release', async () => {
  const folder = await temporaryFolder();
  const digest = `sha256:${'a'.repeat(64)}`;
  execFileSync(path.join(root, '.ci/pack-chart'), ['ghcr.io/owner/agents', digest], {
    cwd: folder,
  });
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  const packed = path.join(folder, `agent-hosting-${version}.tgz`);
  const { output } = run('helm', [
    'template',
    'r',
    packed,
    '--kube-version=1.31.0',
    '--set=secret.existing=agents',
  ]);
  const deployment = parseDocuments(output).find(
    (document) => (document as { kind: string }).kind === 'Deployment',
  );
  expect(deployment).toMatchObject({
    spec: { template: { spec: { containers: [{ image: `ghcr.io/owner/agents@${digest}` }] } } },
  });
});

test('one tag publishes the image, the chart, the SBOM and the client', async () => {
  const workflow = await readFile(path.join(root, '.github/workflows/release.yml'), 'utf8');
  const { jobs } = parse(workflow) as {
    jobs: Record<string, { needs?: string; steps: { run?: string; with?: { tags?: string } }[] }>;
  };
  const runs = (job: string) => jobs[job]?.steps.map((step) => step.run ?? '').join('\n') ?? '';
  expect(jobs['publish']?.needs).toBe('test');
  expect(jobs['client']?.needs).toBe('test');
  expect(runs('publish')).toMatch(/npm run --silent sbom > sbom\.cdx\.json/);
  expect(runs('publish')).toMatch(/\.ci\/pack-chart "\$IMAGE" "\$DIGEST"/);
  expect(runs('publish')).toMatch(/npm pack -w client/);
  expect(runs('client')).toMatch(/npm publish -w client/);
  // The tag has a `v` prefix, and the chart requests an image without it.
  const tags = jobs['publish']?.steps.flatMap((step) => step.with?.tags ?? []);
  expect(tags).toEqual(['${{ env.IMAGE }}:${{ steps.version.outputs.version }}']);
  expect(await readFile(path.join(root, '.ci/run'), 'utf8')).toMatch(
    /PREVIOUS_RELEASE=\$\(\.ci\/previous-release\)/,
  );
});

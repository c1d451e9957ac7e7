/** `npm run diff` accepts additions and rejects breaking changes, unless the major version was raised. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Outcome, run } from '../../scripts/lib/child.js';
import { edit, projectCopy, runScript } from '../helpers/programs/workspace.js';

let project: string;

async function git(...args: string[]): Promise<void> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  const { code, stderr } = await run('git', [...identity, ...args], { cwd: project });
  if (code !== 0) throw new Error(stderr);
}

function diff(...args: string[]): Promise<Outcome> {
  return runScript('diff', args, project);
}

/** Compares against the contract with some files changed, and restores them. */
async function diffWith(changes: Record<string, (text: string) => string>): Promise<Outcome> {
  const files = Object.keys(changes).map((name) => path.join(project, 'spec', name));
  const before = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  try {
    await Promise.all(
      Object.values(changes).map((change, index) => edit(files[index] ?? '', change)),
    );
    return await diff();
  } finally {
    await Promise.all(files.map((file, index) => writeFile(file, before[index] ?? '')));
  }
}

const removeField = (text: string) =>
  text.replace(/ {2}updated_at:\n {4}\$ref: \S+\n/, '').replace(', updated_at', '');

beforeAll(async () => {
  project = await projectCopy();
  // The comparison reads spec/ itself, whether or not generated/ is up to date.
  await runScript('generate', ['bundle'], project);
});

describe('npm run diff', () => {
  test('outside a repository says what to do and exits with 2', async () => {
    const { code, stderr } = await diff();
    expect([code, stderr]).toEqual([2, expect.stringContaining('not a git repository')]);
  });

  test('against a revision without a contract has nothing to compare', async () => {
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', 'package.json');
    await git('commit', '--quiet', '--message=Begin');
    const { code, stdout } = await diff();
    expect([code, stdout]).toEqual([0, expect.stringContaining('main has no contract yet')]);
  });

  test('against an unknown revision says what to do and exits with 2', async () => {
    const { code, stderr } = await diff('--base', 'nowhere');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('does not know the revision nowhere'),
    ]);
  });

  test('finds no change in an unchanged contract', async () => {
    await git('add', 'generated/openapi.yaml');
    await git('commit', '--quiet', '--message=Add the contract');
    expect(await diff()).toMatchObject({
      code: 0,
      stdout: 'The contract is the same as in main.\n',
    });
  });

  test('accepts an added field and names it', async () => {
    const { code, stdout } = await diffWith({
      'schemas/Agent.yaml': (text) =>
        text.replace(
          'properties:\n',
          'properties:\n  colour:\n    type: string\n    enum: [red, blue]\n',
        ),
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Compatible changes since main\n {2}GET \/v1\/agents\/{agent_id}: added .*colour$/m,
    );
    expect(stdout).not.toContain('Breaking');
  });

  test('accepts events and preferences that only those get who ask for them', async () => {
    const { code, stdout } = await diffWith({
      'schemas/WebhookEvent.yaml': (text) => `${text}  - $ref: AgentReference.yaml\n`,
      'headers/Preference-Applied.yaml': (text) =>
        text.replace('cancel]', 'cancel, other]').replace('CANCEL]', 'CANCEL, OTHER]'),
    });
    expect(code).toBe(0);
    expect(stdout).toContain("Enum gained values: 'other'.");
    expect(stdout).toContain('subschema of `WebhookEvent` was added');
  });

  test('rejects a removed field and a removed operation', async () => {
    const { code, stdout, stderr } = await diffWith({
      'schemas/Agent.yaml': removeField,
      'openapi.yaml': (text) => text.replace(/ {2}\/v1\/webhooks\/{webhook_id}:\n.*\n/, ''),
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Breaking changes since main\n(.*\n)* {2}GET \/v1\/agents\/{agent_id}: .*updated_at.*removed/m,
    );
    expect(stdout).toMatch(/^ {2}\/v1\/webhooks\/{webhook_id}: .*removed/m);
    expect(stderr).toContain('increase the major version in info.version');
  });

  test('accepts a removal with a new major version', async () => {
    const { code, stdout } = await diffWith({
      'openapi.yaml': (text) => text.replace(/version: \d+\.\d+\.\d+/, 'version: 9.0.0'),
      'schemas/Agent.yaml': removeField,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('Breaking changes since main');
    expect(stdout).toMatch(
      /The major version went from \S+ to 9\.0\.0, which allows breaking changes\./,
    );
  });

  test('fails with the position of a broken reference in the current contract', async () => {
    await rm(path.join(project, 'spec/schemas/AgentName.yaml'));
    const { code, stderr } = await diff();
    expect(code).toBe(1);
    expect(stderr).toMatch(/spec\/schemas\/\w+\.yaml:\d+:\d+/);
  });
});

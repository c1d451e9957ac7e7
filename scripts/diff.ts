/** `npm run diff`: lists the changes to the contract since another revision, and fails if one breaks clients. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resolveBase, contractAt } from './diff/base.js';
import { type Change, compare, type Comparison } from './diff/changes.js';
import { asJson, bundleContract } from './generate/bundle.js';
import { withCodeSamples } from './generate/code-samples.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { paint } from './lib/terminal.js';

const options = command(
  'diff',
  'List the changes to the contract; exit with 1 if one breaks clients.',
)
  .option('--base <ref>', 'revision to compare with (default: origin/main, else main)')
  .parse()
  .opts<{ base?: string }>();

async function main(): Promise<void> {
  const base = await resolveBase(options.base);
  const before = await contractAt(base);
  if (before === undefined) {
    console.log(`${base} has no contract yet; there is nothing to compare with.`);
    return;
  }
  const comparison = await compareWithCurrent(before);
  const { base: baseVersion, revision: currentVersion } = comparison.versions;
  const breaking = comparison.changes.filter((change) => change.breaking);
  const other = comparison.changes.filter((change) => !change.breaking);
  if (comparison.changes.length === 0) console.log(`The contract is the same as in ${base}.`);
  print(`Breaking changes since ${base}`, breaking);
  print(`Compatible changes since ${base}`, other);

  if (breaking.length === 0) return;
  if (major(baseVersion) === major(currentVersion)) {
    throw new Failure(
      `These changes break clients of version ${baseVersion}. Keep what exists and add to it, ` +
        'or increase the major version in info.version.',
    );
  }
  console.log(
    `The major version went from ${baseVersion} to ${currentVersion}, which allows breaking changes.`,
  );
}

async function compareWithCurrent(before: string): Promise<Comparison> {
  const folder = await mkdtemp(path.join(tmpdir(), 'contract-diff-'));
  try {
    const files = [path.join(folder, 'base.yaml'), path.join(folder, 'revision.json')] as const;
    await writeFile(files[0], before);
    await writeFile(files[1], asJson(withCodeSamples(await bundleContract(inProject('spec')))));
    return await compare(...files);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function print(title: string, changes: Change[]): void {
  if (changes.length === 0) return;
  console.log(paint('bold', title));
  for (const { subject, text } of changes) console.log(`  ${subject}: ${text}`);
  console.log();
}

function major(version: string): string {
  return version.split('.')[0] ?? '';
}

await runProgram(main);

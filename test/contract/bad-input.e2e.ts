/** Every violation of the contract's rules is reported with file, position and fix; each custom rule has cases. */

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { generate, inOneFolder, steps } from '../../scripts/generate/run.js';
import { Failure } from '../../scripts/lib/failure.js';
import contractRules from '../../scripts/redocly/contract-rules.js';
import { inProject } from '../../scripts/lib/project.js';
import { redocly } from '../../scripts/lib/redocly.js';
import { edit, specCopy, temporaryFolder } from '../helpers/programs/workspace.js';
import { bodyCases } from './violations/bodies.js';
import { builtInCases } from './violations/built-in.js';
import { generateCases } from './violations/generation.js';
import { operationCases } from './violations/operations.js';
import type { Violation, ViolationsByRule } from './violations/violation.js';

const lintCases: ViolationsByRule = {
  ...builtInCases,
  ...operationCases,
  ...bodyCases,
};

async function specWith(violations: Violation[]): Promise<string> {
  const spec = await specCopy();
  for (const { file, change } of violations) await edit(path.join(spec, file), change);
  return spec;
}

/** Cases that edit different files share a copy of the contract, because linting a copy takes most of the time. */
function grouped<T extends Violation>(cases: T[]): T[][] {
  const groups: T[][] = [];
  for (const one of cases) {
    const group = groups.find((others) => others.every((other) => !editSameFile(one, other)));
    if (group) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

function editSameFile(one: Violation, other: Violation): boolean {
  const touched = [other.file, other.blamed];
  return touched.includes(one.file) || (one.blamed !== undefined && touched.includes(one.blamed));
}

describe('redocly lint', () => {
  const cases = Object.entries(lintCases).flatMap(([rule, violations]) =>
    violations.map((violation) => ({ rule, ...violation })),
  );
  /** The problems reported for the copy that contains a case. */
  const complaints = new Map<Violation, string[]>();
  let ofContract: string[] = [];

  beforeAll(async () => {
    const groups = grouped(cases);
    const copies = await Promise.all(groups.map(specWith));
    const files = [inProject('spec'), ...copies].map((copy) => path.join(copy, 'openapi.yaml'));
    const { stdout, stderr } = await redocly(['lint', ...files, '--max-problems=1000']);
    const problems = stdout.split(/^\[\d+\] /m).slice(1);
    for (const [index, group] of groups.entries()) {
      const copy = path.basename(path.dirname(copies[index] ?? ''));
      const own = problems.filter((problem) => problem.includes(`/${copy}/`));
      for (const one of group) complaints.set(one, own);
    }
    const folders = copies.map((copy) => path.basename(path.dirname(copy)));
    ofContract = problems.filter((one) => !folders.some((folder) => one.includes(`/${folder}/`)));
    expect(stderr).toMatch(/^validating spec\/openapi\.yaml /m);
  }, 120_000);

  test.each(cases)('rejects $what ($rule)', (violation) => {
    const { rule, file, blamed, says } = violation;
    const all = complaints.get(violation) ?? [];
    const own = all.filter((problem) => problem.includes(`/spec/${blamed ?? file}:`));
    const [found] = own.filter((problem) => problem.includes(says));
    expect(found ?? own).toContain(`by the ${rule} rule`);
    expect(found).toMatch(/^\S+:\d+:\d+ at #\//);
  });

  test('has a case for each custom rule', () => {
    const rules = Object.keys(contractRules().rules.oas3).map((name) => `contract/${name}`);
    expect(rules.filter((rule) => lintCases[rule] === undefined)).toEqual([]);
  });

  test('accepts the contract as it is', () => {
    expect(ofContract).toEqual([]);
  });
});

describe('npm run generate', () => {
  test.each(generateCases)('rejects $what', async (violation) => {
    const out = await temporaryFolder();
    const failure: unknown = await generate({
      spec: await specWith([violation]),
      ...inOneFolder(out),
      steps: steps.filter(({ name }) => name === violation.step),
      report: () => undefined,
    }).catch((error: unknown) => error);
    // Only the message is printed, without a stack.
    if (!(failure instanceof Failure)) throw failure;
    expect(failure.exitCode).toBe(1);
    expect(failure.message).toContain(violation.says);
    if (violation.blamed !== undefined) expect(failure.message).toMatch(`/${violation.blamed}:`);
    expect(failure.message).not.toContain('    at ');
    expect(await readdir(out)).toEqual([]);
  });
});

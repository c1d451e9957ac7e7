/** A change of the contract cannot slip past: first generated/ is out of date, then the code that relies on it. */

import path from 'node:path';
import { expect, test } from '@jest/globals';
import { edit, projectCopy, runScript } from '../helpers/workspace.js';

/** The steps of the generation that read nothing but the contract. */
const contractSteps = ['bundle', 'types', 'operations', 'manifest', 'client'];

test('a renamed field fails the check until generated/ follows, and then fails to compile where it is used', async () => {
  const project = await projectCopy();
  await edit(path.join(project, 'spec/schemas/Agent.yaml'), (text) =>
    text.replaceAll('temperature', 'warmth'),
  );

  const outdated = await runScript('check', ['generated'], project);
  expect(outdated.code).toBe(1);
  for (const name of ['openapi.json', 'openapi.yaml', 'api.ts']) {
    expect(outdated.stdout).toContain(`\ngenerated/${name} differs from line `);
  }
  expect(outdated.stdout).toContain('client/src/generated/schema.ts differs from line ');
  expect(outdated.stdout).toContain('warmth');
  expect(outdated.stdout).toContain('Run npm run generate and commit the changes.');

  expect(await runScript('generate', contractSteps, project)).toMatchObject({ code: 0 });

  const broken = await runScript('check', ['types'], project);
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(
    /^server\/\S+\.ts\(\d+,\d+\): error TS\d+: .*(temperature|warmth)/m,
  );
}, 300_000);

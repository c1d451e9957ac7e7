/** A contract change is detected twice: generated/ is out of date, and then the code that relies on it does not compile. */

import path from 'node:path';
import { expect, test } from '@jest/globals';
import { edit, projectCopy, runScript } from '../helpers/programs/workspace.js';

/** The generation steps that read only the contract. */
const contractSteps = ['bundle', 'types', 'operations', 'manifest', 'client'];

test('a renamed field fails the check until generated/ is updated, and then fails to compile', async () => {
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

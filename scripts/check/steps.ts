/** The checks, each of them a function that says what is wrong, or nothing. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generate, inOneFolder, inPlace, steps } from '../generate/run.js';
import { scratchPrefix } from '../generate/publish.js';
import { type Outcome, runNode } from '../lib/child.js';
import { Failure } from '../lib/failure.js';
import { inProject, programs } from '../lib/project.js';
import { redocly } from '../lib/redocly.js';
import { differences } from './compare.js';

export interface Check {
  name: string;
  title: string;
  /** Resolves to the complaint, or to nothing if all is well. */
  run: () => Promise<string | undefined>;
}

export const checks: Check[] = [
  {
    name: 'contract',
    title: 'contract keeps its rules',
    run: async () => complaint(await redocly(['lint'])),
  },
  { name: 'generated', title: 'generated files are current', run: compareGenerated },
  { name: 'types', title: 'types fit', run: program(programs.tsc, '--noEmit') },
  { name: 'eslint', title: 'eslint', run: program(programs.eslint, '.') },
  { name: 'prettier', title: 'prettier', run: program(programs.prettier, '--check', '.') },
];

function program(script: string, ...args: string[]): Check['run'] {
  return async () => complaint(await runNode([script, ...args]));
}

function complaint({ code, stdout, stderr }: Outcome): string | undefined {
  return code === 0 ? undefined : `${stdout}\n${stderr}`.trim();
}

/** The database client is made at install and never committed, so there is nothing to compare it with. */
async function compareGenerated(): Promise<string | undefined> {
  const fresh = await mkdtemp(path.join(tmpdir(), 'generated-'));
  const made = inOneFolder(fresh);
  try {
    await generate({
      spec: inProject('spec'),
      ...made,
      steps: steps.filter((step) => step.name !== 'prisma'),
      report: () => undefined,
    });
    const found = await Promise.all([
      differences(inPlace.out, made.out, ['prisma', 'client/', scratchPrefix]),
      differences(inPlace.clientOut, made.clientOut, []),
    ]);
    if (found.flat().length === 0) return undefined;
    return [...found.flat(), 'Run npm run generate and commit what it changes.'].join('\n');
  } catch (error) {
    if (error instanceof Failure) return error.message.trim();
    throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Generates the database client from prisma/schema.prisma. */

import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { runNode } from '../lib/child.js';
import { Failure } from '../lib/failure.js';
import { inProject, programs, root } from '../lib/project.js';
import { plural } from '../lib/terminal.js';
import type { Step } from './step.js';

export const prisma: Step = {
  name: 'prisma',
  outputs: ['prisma'],
  waitsForContract: false,
  async make(inputs) {
    const folder = await inputs.scratch();
    const schema = path.join(folder, 'prisma/schema.prisma');
    await mkdir(path.dirname(schema));
    await cp(inProject('prisma/schema.prisma'), schema);

    const files = [`--schema=${schema}`, `--config=${inProject('prisma.config.ts')}`];
    const outcome = await runNode([programs.prisma, 'generate', ...files, '--no-hints'], {
      env: {
        // Generating needs no schema engine, but Prisma would download one unless it is told of some program.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: 'true',
        CHECKPOINT_DISABLE: '1',
      },
    });
    if (outcome.code !== 0) {
      const complaint = `${outcome.stdout}\n${outcome.stderr}`.trim();
      throw new Failure(complaint.replaceAll(path.relative(root, schema), 'prisma/schema.prisma'));
    }

    // The schema writes to ../generated/prisma, seen from its own folder.
    const made = path.join(folder, 'generated/prisma');
    const models = await readdir(path.join(made, 'models'));
    return { summary: plural(models.length, 'model'), folders: { prisma: made } };
  },
};

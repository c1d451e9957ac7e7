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
        // Generating does not use the schema engine, but Prisma downloads it unless this names an executable.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: 'true',
        CHECKPOINT_DISABLE: '1',
      },
    });
    if (outcome.code !== 0) {
      const message = `${outcome.stdout}\n${outcome.stderr}`.trim();
      throw new Failure(message.replaceAll(path.relative(root, schema), 'prisma/schema.prisma'));
    }

    // The schema's output is ../generated/prisma, relative to its own folder.
    const output = path.join(folder, 'generated/prisma');
    const models = await readdir(path.join(output, 'models'));
    return { summary: plural(models.length, 'model'), folders: { prisma: output } };
  },
};

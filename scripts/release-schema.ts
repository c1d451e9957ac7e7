/** `npm run release:schema`: stores the migrations of this release for the tests of the next one. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PREVIOUS_RELEASE_FILE } from '../server/postgres/migrations/migrations.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { displayPath, inProject } from './lib/project.js';
import { describeSchema, readReleases, releaseBefore, releasesFolder } from './release/schemas.js';

command(
  'release:schema',
  'Write the migrations of this version to test/fixtures/releases, and the release that it must be compatible with to prisma/previous-release.json.',
).parse();

async function main(): Promise<void> {
  const { version } = JSON.parse(await readFile(inProject('package.json'), 'utf8')) as {
    version: string;
  };
  const file = path.join(releasesFolder, `${version}.sql`);
  await mkdir(releasesFolder, { recursive: true });
  await writeFile(file, await describeSchema());
  const before = releaseBefore(await readReleases(), version);
  const migration = before?.migrations.at(-1)?.name;
  if (!before || migration === undefined) throw new Failure('There are no migrations.');
  const content = { version: before.version, migration };
  await writeFile(PREVIOUS_RELEASE_FILE, `${JSON.stringify(content, null, 2)}\n`);
  for (const written of [file, PREVIOUS_RELEASE_FILE]) console.log(`wrote ${displayPath(written)}`);
}

await runProgram(main);

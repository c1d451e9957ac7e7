/** Downloads the generators in pinned versions from the registries of their languages into a project cache. */

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/lib/child.js';
import { inProject } from '../../scripts/lib/project.js';

export const versions = {
  'openapi-generator': '7.25.0',
  'openapi-python-client': '0.29.1',
  ruff: '0.17.4',
  'oapi-codegen': '2.8.1',
  // The last version that runs on every Node version that the project supports.
  '@hey-api/openapi-ts': '0.95.0',
  // It accepts any newer one, but uses functions that TypeScript 7 no longer has.
  typescript: '5.9.3',
};

export const cache = inProject('node_modules/.cache/generators');

/** Runs a program; throws its output if it fails. */
export async function runOrThrow(
  program: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, { cwd, env });
  if (code === 0) return stdout + stderr;
  const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-60).join('\n');
  throw new Error(`${program} ${args.join(' ')}\n${output}`);
}

export async function openapiGenerator(): Promise<string> {
  const name = `openapi-generator-cli-${versions['openapi-generator']}.jar`;
  return fetched(name, (folder) =>
    runOrThrow(
      'mvn',
      [
        ...['-q', '-B', 'dependency:copy', `-DoutputDirectory=${folder}`],
        `-Dartifact=org.openapitools:openapi-generator-cli:${versions['openapi-generator']}`,
      ],
      folder,
    ),
  );
}

export async function oapiCodegen(): Promise<string> {
  const version = versions['oapi-codegen'];
  const folder = await made(path.join(cache, `oapi-codegen-${version}`));
  const module = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${version}`;
  return fetched(path.join(path.basename(folder), 'oapi-codegen'), () =>
    runOrThrow('go', ['install', module], folder, { GOBIN: folder }),
  );
}

export async function heyApi(): Promise<string> {
  const version = versions['@hey-api/openapi-ts'];
  const folder = await made(path.join(cache, `hey-api-${version}`));
  return fetched(
    path.join(path.basename(folder), 'node_modules/@hey-api/openapi-ts/bin/run.js'),
    () =>
      runOrThrow(
        'npm',
        [
          ...['install', '--prefix', folder],
          ...[`@hey-api/openapi-ts@${version}`, `typescript@${versions.typescript}`],
        ],
        folder,
      ),
  );
}

/** The bin folder of a virtual environment with the Python generator and the dependencies of its clients. */
export async function pythonPrograms(requirements?: string): Promise<string> {
  const generator = `openapi-python-client-${versions['openapi-python-client']}`;
  const programs = path.join(cache, generator, 'bin');
  await fetched(path.join(generator, 'bin/openapi-python-client'), async (folder) => {
    await runOrThrow('python3', ['-m', 'venv', generator], folder);
    const packages = [
      `openapi-python-client==${versions['openapi-python-client']}`,
      `ruff==${versions.ruff}`,
      // The dependencies of the generated client.
      'python-dateutil',
    ];
    await runOrThrow(path.join(programs, 'pip'), ['install', '-q', ...packages], folder);
  });
  if (requirements !== undefined) {
    await runOrThrow(path.join(programs, 'pip'), ['install', '-q', '-r', requirements], cache);
  }
  return programs;
}

/** The path of a cached file, downloaded if it is missing. */
async function fetched(name: string, fetch: (folder: string) => Promise<unknown>): Promise<string> {
  const file = path.join(await made(cache), name);
  if (!existsSync(file)) await fetch(cache);
  return file;
}

async function made(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return folder;
}

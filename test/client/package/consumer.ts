/** An otherwise empty project in which the package is installed from its tarball. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Outcome, runNode } from '../../../scripts/lib/child.js';
import { programs } from '../../../scripts/lib/project.js';
import { root, temporaryFolder } from '../../helpers/programs/workspace.js';
import { npm, packDependencies, type Tarball } from './tarball.js';

export interface Consumer {
  folder: string;
  /** The output of npm install. */
  installation: string;
  /** Compiles these files and the package under `strict`; resolves to the errors. */
  compile: (files: string[], options: object) => Promise<string>;
  write: (file: string, text: string) => Promise<void>;
  run: (args: string[], env?: NodeJS.ProcessEnv) => Promise<Outcome>;
}

export async function createConsumer(client: Tarball): Promise<Consumer> {
  const folder = await temporaryFolder();
  const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
  const [fetch, helpers] = await packDependencies(['openapi-fetch', 'openapi-typescript-helpers']);
  const manifest = {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: {
      '@agent-hosting/client': `file:${client.file}`,
      'openapi-fetch': `file:${fetch?.file}`,
      'openapi-typescript-helpers': `file:${helpers?.file}`,
    },
  };
  await write('package.json', JSON.stringify(manifest));
  const installation = await npm(['install'], folder);
  await mkdir(path.join(folder, 'node_modules/@types'));
  for (const name of ['@types/node', 'undici-types']) {
    const target = path.join(root, 'node_modules', name);
    await symlink(target, path.join(folder, 'node_modules', name), 'dir');
  }
  return {
    folder,
    installation,
    write,
    compile: async (files, options) => {
      const name = `tsconfig.${Object.values(options).join('-').replaceAll(/\W+/g, '-')}.json`;
      const compilerOptions = {
        strict: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        target: 'ES2022',
        ...options,
      };
      await write(name, JSON.stringify({ compilerOptions, files }));
      const { stdout, stderr } = await runNode([programs.tsc, '-p', name], { cwd: folder });
      return stdout + stderr;
    },
    run: (args, env) => runNode(args, { cwd: folder, env: env ?? {} }),
  };
}

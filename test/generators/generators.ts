/** The generators: how each is called, with no option except its output folder, and how its client is compiled. */

import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { inProject, programs } from '../../scripts/lib/project.js';
import type { Toolchain } from './toolchains.js';
import {
  cache,
  heyApi,
  runOrThrow,
  oapiCodegen,
  openapiGenerator,
  pythonPrograms,
  versions,
} from './tools.js';

const contract = inProject('generated/openapi.yaml');

export interface Generator {
  name: string;
  needs: Toolchain[];
  generate: (out: string) => Promise<string>;
  compile: (out: string) => Promise<unknown>;
  /** Runs the program that calls all operations with the client; resolves to its output. */
  drive?: ((out: string, env: NodeJS.ProcessEnv) => Promise<string>) | undefined;
}

export const generators: Generator[] = [
  {
    ...openapi('python', ['Python']),
    compile: async (out) => {
      await pythonPrograms(path.join(out, 'requirements.txt'));
      await compilePython(out, 'openapi_client');
    },
    drive: drivePython('smoke.py'),
  },
  {
    ...openapi('java', []),
    compile: (out) =>
      runOrThrow('mvn', ['-q', '-B', '-DskipTests', '-Dmaven.javadoc.skip', 'package'], out),
    drive: (out, env) =>
      runOrThrow(
        'java',
        ['-cp', 'target/classes:target/lib/*', smoke('java/Smoke.java')],
        out,
        env,
      ),
  },
  {
    ...openapi('go', ['Go']),
    compile: async (out) => {
      await runOrThrow('go', ['mod', 'tidy'], out);
      await runOrThrow('go', ['vet', './...'], out);
    },
    drive: async (out, env) => {
      await cp(smoke('go/smoke.go'), path.join(out, 'smoke/main.go'));
      return runOrThrow('go', ['run', './smoke'], out, env);
    },
  },
  {
    ...openapi('rust', ['Rust']),
    compile: (out) =>
      runOrThrow('cargo', ['check', '-q'], out, {
        CARGO_TARGET_DIR: path.join(cache, 'rust-target'),
      }),
  },
  { ...openapi('typescript-fetch', []), compile: compileTypeScript },
  {
    name: `openapi-python-client ${versions['openapi-python-client']}`,
    needs: ['Python'],
    generate: async (out) => {
      const bin = await pythonPrograms();
      const args = ['generate', '--path', contract, '--output-path', out];
      return runOrThrow(path.join(bin, 'openapi-python-client'), args, cache, {
        // It formats its output with the ruff installed next to it.
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      });
    },
    compile: (out) => compilePython(out, 'agent_hosting_service_client'),
    drive: drivePython('smoke_httpx.py'),
  },
  {
    name: `oapi-codegen ${versions['oapi-codegen']}`,
    needs: ['Go'],
    generate: async (out) => {
      const program = await oapiCodegen();
      await mkdir(out, { recursive: true });
      await runOrThrow('go', ['mod', 'init', 'example.com/agents'], out);
      return runOrThrow(program, ['-o', 'agents.gen.go', contract], out);
    },
    compile: async (out) => {
      await runOrThrow('go', ['mod', 'tidy'], out);
      await runOrThrow('go', ['vet', './...'], out);
    },
  },
  {
    name: `@hey-api/openapi-ts ${versions['@hey-api/openapi-ts']}`,
    needs: [],
    generate: async (out) =>
      runOrThrow(process.execPath, [await heyApi(), '-i', contract, '-o', out], cache),
    compile: compileTypeScript,
  },
];

/** The output folder of the client, emptied first. */
export async function outputFolder({ name }: Generator): Promise<string> {
  const folder = path.join(cache, 'clients', name.replaceAll(/[^\w.]+/g, '-').replace(/^-/, ''));
  await rm(folder, { recursive: true, force: true });
  await mkdir(path.dirname(folder), { recursive: true });
  return folder;
}

function openapi(language: string, needs: Toolchain[]): Omit<Generator, 'compile'> {
  return {
    name: `openapi-generator ${versions['openapi-generator']}, ${language}`,
    needs: ['Java', ...needs],
    generate: async (out) => {
      const jar = await openapiGenerator();
      return runOrThrow(
        'java',
        ['-jar', jar, 'generate', '-g', language, '-i', contract, '-o', out],
        cache,
      );
    },
  };
}

/** Compiles every file, including those that nothing imports, and imports every module of the package. */
async function compilePython(out: string, name: string): Promise<void> {
  const python = path.join(await pythonPrograms(), 'python');
  await runOrThrow(python, ['-m', 'compileall', '-q', '.'], out);
  const modules = `pkgutil.walk_packages(['${name}'], '${name}.')`;
  const importAll = `[importlib.import_module(module.name) for module in ${modules}]`;
  await runOrThrow(python, ['-c', `import importlib, pkgutil; ${importAll}`], out);
}

async function compileTypeScript(out: string): Promise<unknown> {
  const files = (await readdir(out, { recursive: true })).filter((file) => file.endsWith('.ts'));
  // The cache is inside the project, whose own settings must not apply.
  const strict = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--lib',
    'es2022,dom,dom.iterable',
    '--types',
    '',
  ];
  const modules = ['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
  return runOrThrow(process.execPath, [programs.tsc, ...strict, ...modules, ...files], out);
}

function drivePython(program: string): Generator['drive'] {
  return async (out, env) => {
    const python = path.join(await pythonPrograms(), 'python');
    return runOrThrow(python, [smoke(`python/${program}`)], out, { ...env, PYTHONPATH: out });
  };
}

function smoke(file: string): string {
  return inProject('test/generators', file);
}

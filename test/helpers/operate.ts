/** The operator's commands: as real processes, or inside the test where only what they say matters. */
import path from 'node:path';
import { loadConfig } from '../../server/config/config.js';
import { accountContext } from '../../server/operator/context.js';
import { createOutput } from '../../server/operator/output.js';
import { createProgram } from '../../server/operator/program.js';
import { runCommandLine } from '../../server/operator/run.js';
import { createRegistry } from '../../server/runtime/registry.js';
import { builtProject } from './built-project.js';
import { testSecrets, testSecretsKey, type TestService } from './service.js';
import { type ProgramOptions, startProgram } from './service-process.js';

export interface Operated {
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface Operator {
  /** Runs a command, however it ends. */
  run: (args: string[], input?: string) => Promise<Operated>;
  /** The JSON document that a command prints; fails unless it ends well and says nothing else. */
  json: (...args: string[]) => Promise<unknown>;
}

export function operatorProcess(environment: ProgramOptions['environment'] = {}): Operator {
  return withJson(async (args, input) => {
    const file = path.join(await builtProject(), 'server/operator/main.js');
    const program = startProgram(file, args, {
      environment,
      ...(input === undefined ? {} : { input }),
    });
    const code = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  });
}

/** The environment of a process that works beside a service of the tests. */
export function besides({ databaseUrl }: Pick<TestService, 'databaseUrl'>): Record<string, string> {
  return { DATABASE_URL: databaseUrl, SECRETS_KEY: testSecretsKey.toString('base64') };
}

/** Everything but the process itself and its way to the database. */
export function operatorInside(service: Pick<TestService, 'database' | 'databaseUrl'>): Operator {
  const { database } = service;
  const config = loadConfig(besides(service));
  return withJson(async (args) => {
    const said = { out: '', err: '' };
    const streams = {
      out: (text: string) => void (said.out += text),
      err: (text: string) => void (said.err += text),
    };
    const program = createProgram(({ account, json }, command) =>
      command({
        ...accountContext(database, account),
        config,
        database,
        secrets: testSecrets,
        models: createRegistry(config.models),
        output: createOutput(json ?? false, streams.out),
      }),
    );
    const code = await runCommandLine(program, args, streams);
    return { code, stdout: said.out, stderr: said.err };
  });
}

function withJson(run: Operator['run']): Operator {
  return {
    run,
    json: async (...args) => {
      const { code, stdout, stderr } = await run([...args, '--json']);
      if (code !== 0 || stderr !== '') {
        throw new Error(`operator ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      }
      return JSON.parse(stdout) as unknown;
    },
  };
}

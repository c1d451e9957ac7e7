/** Runs the operator's command line on the installation that the environment describes. */
import { openInfrastructure } from '../assembly/infrastructure.js';
import { openPostgres } from '../assembly/postgres.js';
import { loadConfig, loadDatabaseConfig, loadEnvironmentFile } from '../config/config.js';
import type { Environment } from '../config/environment.js';
import { findSecretsKeys } from '../config/secrets-file.js';
import { type Terminal, terminal } from '../lib/terminal.js';
import { accountContext, type Installation } from './context.js';
import { createOutput } from './output.js';
import { createProgram } from './program.js';
import { runCommandLine } from './run.js';

/** Returns the exit code. */
export function runOperator(args: string[]): Promise<number> {
  const program = createProgram(
    async ({ account, json }, command) => {
      const config = loadConfig(process.env, loadEnvironmentFile());
      const infrastructure = await openInfrastructure(config, { embedded: 'join' });
      try {
        await command({
          ...accountContext(infrastructure.database, account),
          config,
          database: infrastructure.database,
          secrets: infrastructure.secrets,
          output: createOutput(json ?? false, terminal),
        });
      } finally {
        await infrastructure.close();
      }
    },
    ({ json }, command) => {
      const namesInFile = loadEnvironmentFile();
      return command(installation(json ?? false, terminal, process.env, namesInFile));
    },
  );
  return runCommandLine(program, args, terminal);
}

/** `namesInFile` are the variables that the environment has from a file. */
export function installation(
  asJson: boolean,
  { print, printError }: Terminal,
  environment: Environment,
  namesInFile: string[] = [],
): Installation {
  return {
    config: () => loadConfig(environment, namesInFile),
    databaseConfig: () => loadDatabaseConfig(environment, namesInFile),
    databaseKeys: async (config) => {
      const keys = await findSecretsKeys(config);
      return keys && [keys.current, ...keys.previous];
    },
    openPostgres: (config) => openPostgres(config, 'join'),
    outputBeside: (isOutputTaken) =>
      createOutput(asJson, { print: isOutputTaken ? printError : print, printError }),
  };
}
